// Preloaded into a program, lets its wall clock jump by years at every look, forwards and back. The
// steady clock is left alone.
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long jump(void) {
  static long looks = 0;
  const long years = 365L * 24L * 3600L;
  return ++looks % 2 == 0 ? 10L * years : -10L * years;
}

int clock_gettime(clockid_t id, struct timespec* time) {
  const long failed = syscall(SYS_clock_gettime, id, time);
  if (failed == 0 && id == CLOCK_REALTIME) time->tv_sec += jump();
  return (int)failed;
}

int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  (void)zone;
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}
