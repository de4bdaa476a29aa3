#define _GNU_SOURCE
#include "CMachineProbes.h"

#include <pthread.h>
#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#endif

#if defined(__linux__)
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if !defined(MADV_GUARD_INSTALL)
#define MADV_GUARD_INSTALL 102
#endif

bool machine_counts_instructions(void) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  // Of this process, on any processor.
  long descriptor = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (descriptor < 0) return false;
  close((int)descriptor);
  return true;
}

bool machine_guards_pages_lightly(void) {
  size_t length = (size_t)sysconf(_SC_PAGESIZE);
  void *page = mmap(0, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  bool is_guarded = madvise(page, length, MADV_GUARD_INSTALL) == 0;
  munmap(page, length);
  return is_guarded;
}

bool machine_wakes_promptly(void) { return prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0; }

bool machine_read_scheduling(int thread, struct machine_scheduling *scheduling) {
  *scheduling = (struct machine_scheduling){0};
  int policy = sched_getscheduler(thread);
  if (policy < 0) return false;
  scheduling->policy = policy & ~0x40000000;
  errno = 0;
  scheduling->nice = getpriority(PRIO_PROCESS, (id_t)thread);
  if (errno != 0) return false;
  return sched_getaffinity(thread, sizeof scheduling->processors, (cpu_set_t *)scheduling->processors) == 0;
}

#else

bool machine_counts_instructions(void) { return false; }
bool machine_guards_pages_lightly(void) { return false; }
bool machine_wakes_promptly(void) { return false; }

bool machine_read_scheduling(int thread, struct machine_scheduling *scheduling) {
  (void)thread;
  *scheduling = (struct machine_scheduling){0};
  return false;
}

#endif

static void *pass(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

int machine_startable_threads(int wanted) {
  pthread_t *threads = calloc((size_t)wanted, sizeof *threads);
  if (!threads) return 0;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 * 1024);
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&gate);
  int count = 0;
  while (count < wanted && pthread_create(&threads[count], &attributes, pass, &gate) == 0) count++;
  pthread_mutex_unlock(&gate);
  for (int index = 0; index < count; index++) pthread_join(threads[index], NULL);
  pthread_attr_destroy(&attributes);
  free(threads);
  return count;
}

void machine_give_back_free_memory(void) {
#if defined(__GLIBC__)
  malloc_trim(0);
#elif defined(__APPLE__)
  malloc_zone_pressure_relief(NULL, 0);
#endif
}

void machine_look_at(const void *address) { (void)address; }
