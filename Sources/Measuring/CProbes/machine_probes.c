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
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

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
