// The C header alone, in C++.
#include "daedalus.h"

int main() { return daedalus_method_count() > 0 ? 0 : 1; }
