// For LD_PRELOAD. After LOOKS reads the calendar goes back by an hour, and if EVERY is 1, by another at each further read;
// monotonic clocks do not change.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static atomic_long looks;
int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, clock, now);
  if (clock == CLOCK_REALTIME) {
    long further = atomic_fetch_add(&looks, 1) - LOOKS;
    now->tv_sec -= further < 0 ? 0 : EVERY ? 3600 * (further + 1) : 3600;
  }
  return result;
}
int gettimeofday(struct timeval *now, void *zone) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec, now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}
