#include "CStackLocals.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

bool stack_locals_are_used;

static _Thread_local stack_locals running;
static _Atomic(void (*)(void *)) destroyers[stack_local_count];
static pthread_key_t thread_exit_key;
static pthread_once_t thread_exit_once = PTHREAD_ONCE_INIT;

static void thread_exit(void *locals) { stack_locals_destroy(locals); }

static void create_thread_exit_key(void) { pthread_key_create(&thread_exit_key, thread_exit); }

// The functions below are not inlined, so that the compiler keeps no thread's address across a switch of stacks.

__attribute__((noinline)) void *stack_local(int index) {
  __asm__ volatile("");
  return running.values[index];
}

__attribute__((noinline)) void stack_local_set(int index, void *value, void (*destroy)(void *)) {
  __asm__ volatile("");
  atomic_store(&destroyers[index], destroy);
  __atomic_store_n(&stack_locals_are_used, true, __ATOMIC_RELAXED);
  pthread_once(&thread_exit_once, create_thread_exit_key);
  pthread_setspecific(thread_exit_key, &running);
  running.values[index] = value;
}

__attribute__((noinline)) void stack_locals_swap(stack_locals *others) {
  __asm__ volatile("");
  stack_locals before = running;
  running = *others;
  *others = before;
}

void stack_locals_destroy(stack_locals *locals) {
  for (int index = 0; index < stack_local_count; index++) {
    void *value = locals->values[index];
    locals->values[index] = NULL;
    if (value) atomic_load(&destroyers[index])(value);
  }
}
