// Prints what programs compiled against daedalus.h rely on: sizes, offsets and values.
#include <stdio.h>

#include "daedalus.h"

#define VALUE(name) printf("value %s %d\n", #name, (int)(name))
#define PLACE(field) \
  printf("place daedalus_statistics.%s %zu\n", #field, offsetof(daedalus_statistics, field))

int main(void) {
  printf("size daedalus_status %zu\n", sizeof(daedalus_status));
  VALUE(DAEDALUS_OK);
  VALUE(DAEDALUS_FINISHED);
  VALUE(DAEDALUS_INVALID);
  VALUE(DAEDALUS_FAILED);
  VALUE(DAEDALUS_STOPPED);
  VALUE(DAEDALUS_OUT_OF_MEMORY);
  VALUE(DAEDALUS_INTERNAL);
  printf("size daedalus_statistics %zu\n", sizeof(daedalus_statistics));
  PLACE(steps);
  PLACE(attempts);
  PLACE(rejected_error);
  PLACE(rejected_newton);
  PLACE(rejected_domain);
  PLACE(rejected_singular);
  PLACE(f_evals);
  PLACE(jac_evals);
  PLACE(factorizations);
  PLACE(linear_solves);
  PLACE(newton_iterations);
  PLACE(linear_iterations);
  return 0;
}
