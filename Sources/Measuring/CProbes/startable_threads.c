#include "CMachineProbes.h"

#include <pthread.h>
#include <stdlib.h>

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
