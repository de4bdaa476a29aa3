#include "CContextSwitch.h"

#include <errno.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

extern void context_start(void);

void *context_prepare(void *stack_top, context_entry entry, void *argument) {
  // One word stays free above the frame, so that context_start has the alignment its call needs.
  void **sp = (void **)stack_top - 2;
#if defined(__x86_64__)
  sp -= 7;
  sp[0] = (void *)context_start;
  sp[1] = sp[2] = sp[3] = NULL;  // r15, r14, r13
  sp[4] = (void *)entry;         // r12
  sp[5] = argument;              // rbx
  sp[6] = NULL;                  // rbp
#elif defined(__aarch64__)
  sp -= 20;
  for (int i = 0; i < 20; i++) sp[i] = NULL;
  sp[0] = argument;               // x19
  sp[1] = (void *)entry;          // x20
  sp[11] = (void *)context_start; // x30
#else
#error "no context switch for this processor"
#endif
  return sp;
}

static _Thread_local void *current_context;

__attribute__((noinline)) void *context_current(void) {
  __asm__ volatile("");
  return current_context;
}

__attribute__((noinline)) void context_set_current(void *current) {
  __asm__ volatile("");
  current_context = current;
}

static _Thread_local void *ready_context;

__attribute__((noinline)) void *context_ready(void) {
  __asm__ volatile("");
  return ready_context;
}

__attribute__((noinline)) void context_set_ready(void *ready) {
  __asm__ volatile("");
  ready_context = ready;
}

size_t context_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

#if !defined(MADV_GUARD_INSTALL)
#define MADV_GUARD_INSTALL 102
#endif

int context_guard(void *address, size_t length) {
#if defined(__linux__)
  static atomic_bool has_no_lightweight_guard;
  if (!atomic_load_explicit(&has_no_lightweight_guard, memory_order_relaxed)) {
    if (madvise(address, length, MADV_GUARD_INSTALL) == 0) return 0;
    atomic_store_explicit(&has_no_lightweight_guard, true, memory_order_relaxed);
  }
#endif
  return mprotect(address, length, PROT_NONE);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZED 1
#endif
#endif

#if defined(THREAD_SANITIZED)

extern void *__tsan_get_current_fiber(void);
extern void *__tsan_create_fiber(unsigned flags);
extern void __tsan_destroy_fiber(void *fiber);
extern void __tsan_switch_to_fiber(void *fiber, unsigned flags);

__attribute__((disable_sanitizer_instrumentation)) void *context_fiber_create(void) {
  return __tsan_create_fiber(0);
}
__attribute__((disable_sanitizer_instrumentation)) void context_fiber_destroy(void *fiber) {
  __tsan_destroy_fiber(fiber);
}
__attribute__((disable_sanitizer_instrumentation)) void *context_fiber_current(void) {
  return __tsan_get_current_fiber();
}
// Telling the sanitizer must be the last thing before the switch: from here on its shadow stack is the other one's.
__attribute__((disable_sanitizer_instrumentation)) void context_switch_to_fiber(void **save, void *load, void *fiber) {
  __tsan_switch_to_fiber(fiber, 0);
  context_switch(save, load);
}

#else

void *context_fiber_create(void) { return NULL; }
void context_fiber_destroy(void *fiber) { (void)fiber; }
void *context_fiber_current(void) { return NULL; }
void context_switch_to_fiber(void **save, void *load, void *fiber) {
  (void)fiber;
  context_switch(save, load);
}

#endif
