// DAEDALUS_MUTANT is the number of the mistake to make; DAEDALUS_REACHED a file to which the
// numbers of all mistakes whose code was reached are written when the process ends.
#include <cstdlib>
#include <fstream>

namespace {

constexpr int most_mutants = 10000;

}  // namespace

unsigned char daedalus_reached_mutants[most_mutants];
int daedalus_made_mutant = 0;

// Before static objects are constructed: they may depend on mistakes, too.
__attribute__((constructor(101))) static void choose() {
  const char* number = std::getenv("DAEDALUS_MUTANT");
  if (number != nullptr) daedalus_made_mutant = std::atoi(number);
}

__attribute__((destructor)) static void write_reached() {
  const char* path = std::getenv("DAEDALUS_REACHED");
  if (path == nullptr) return;
  std::ofstream file(path, std::ios::app);
  for (int i = 0; i < most_mutants; ++i) {
    if (daedalus_reached_mutants[i] != 0) file << i << '\n';
  }
}
