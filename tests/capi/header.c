// The header alone, in C99.
#include "daedalus.h"

int main(void) { return daedalus_method_count() > 0 ? 0 : 1; }
