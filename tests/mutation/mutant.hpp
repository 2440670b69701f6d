// Selects which of the compiled-in mistakes is made. Used only in the copy of the tree that `./dev
// mutate` builds.
#pragma once

extern int daedalus_made_mutant;                  // 0: none
extern unsigned char daedalus_reached_mutants[];  // by number

inline bool daedalus_mutant(int number) {
  daedalus_reached_mutants[number] = 1;
  return number == daedalus_made_mutant;
}
