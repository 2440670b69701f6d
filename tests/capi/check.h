// Checks of a test in C: a failed one is reported with its position, and the program then returns
// 1.
#ifndef DAEDALUS_TESTS_CHECK_H
#define DAEDALUS_TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "daedalus.h"

static int failed_checks = 0;

static inline void check(int holds, const char* what, int line) {
  if (holds) return;
  fprintf(stderr, "line %d: not so: %s; the last error: %s\n", line, what, daedalus_error());
  ++failed_checks;
}

// The relative error of y is at most 10^-digits.
static inline void check_digits(double y, double expected, double digits, const char* what,
                                int line) {
  const double error = fabs(y - expected) / fabs(expected);
  if (error <= pow(10.0, -digits)) return;
  fprintf(stderr, "line %d: %s is %.15g instead of %.15g, %.1f digits instead of %.1f\n", line,
          what, y, expected, -log10(error), digits);
  ++failed_checks;
}

// The call was refused with this code, and the text contains these words.
static inline void check_refused(int is_refused, const char* code, const char* words, int line) {
  char bracketed[64];
  snprintf(bracketed, sizeof bracketed, "[%s]", code);
  const char* text = daedalus_error();
  if (is_refused && strstr(text, bracketed) != NULL && strstr(text, words) != NULL) return;
  fprintf(stderr, "line %d: %s with `%s`, but \"%s\" %s was expected\n", line,
          is_refused ? "refused" : "not refused", text, words, bracketed);
  ++failed_checks;
}

#define CHECK(condition) check((condition) != 0, #condition, __LINE__)
#define CHECK_DIGITS(y, expected, digits) check_digits((y), (expected), (digits), #y, __LINE__)
#define CHECK_INVALID(call, code, words) \
  check_refused((call) == DAEDALUS_INVALID, (code), (words), __LINE__)
#define CHECK_NULL(call, code, words) check_refused((call) == NULL, (code), (words), __LINE__)

#endif
