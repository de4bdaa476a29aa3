#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CStackLocals.h"

// Switches between stacks. A context is a saved stack pointer. All other state that a switch preserves is on the stack above.

typedef void (*context_entry)(void *argument);

// Prepares a new stack so that the first switch to the returned context calls entry(argument), which must never return.
// stack_top is the address after the last byte of the stack, 16-byte aligned.
void *context_prepare(void *stack_top, context_entry entry, void *argument);

// Saves the running context to *save and continues the context `load`. Returns after the next switch back.
//
// Preserves the registers that a callee must preserve (System V on x86-64, AAPCS64 on arm64), but not the floating-point
// control words: a coroutine must restore them before it suspends. Jumps, because a return would be mispredicted.
void context_switch(void **save, void *load);

// A coroutine's stack, as signal handlers and sanitizers see it. Written only while no switch is running.
typedef struct context_stack {
  char *bottom;      // the guard lies below
  size_t byte_count;
  const char *name;  // the coroutine's name for the overflow message, or NULL
  void *tsan_fiber;  // for Thread Sanitizer; this and the next four are unset in builds without sanitizers
  void *resumer_tsan_fiber;
  void *asan_frames;  // Address Sanitizer's record of this stack while the coroutine is suspended
  const void *resumer_bottom;
  size_t resumer_byte_count;
  stack_locals locals;  // stack-local values: the coroutine's while it is suspended, the resumer's while it runs
} context_stack;

// The state of a switch to and from a coroutine. Touched only by the thread that runs the coroutine or may resume it.
typedef struct context_fiber {
  void *context;          // where the coroutine continues
  void *resumer;          // where the thread continues when the coroutine leaves
  uintptr_t accesses[2];  // the open accesses of Swift's exclusivity checking, in the runtime's form
  context_stack *stack;
} context_fiber;

// A thread's state for coroutines.
typedef struct context_thread {
  void *current;      // the fiber that runs on this thread, or NULL
  void *ready_first;  // a list of the fibers to run here after the running one has left
  void *ready_last;
  bool is_driving;    // whether an outer call on this stack will run the ready fibers
  void *callback_turn;  // the callbacks that are running here, outside of any coroutine
  void *free_fibers;  // a list of the free fibers with stacks of the standard size
  long free_fiber_count;
  unsigned long pool_worker;  // the worker's id, or 0 if the thread is not a pool's
} context_thread;

// Returns the calling thread's state. Not inlined, so that the compiler keeps no thread's address across a switch. Never use
// the result both before and after a switch that may change the thread.
__attribute__((returns_nonnull)) context_thread *context_thread_current(void);

// Names the calling thread. Linux keeps the first 15 bytes.
void context_name_thread(const char *name);

// Sets a hook that each thread that has used coroutines calls when it ends.
void context_set_thread_exit(void (*hook)(context_thread *thread));

size_t context_page_size(void);

// The size of the guard below a stack: 60 KiB or one page more. A guard takes no memory. A larger frame could skip it. Stack
// and guard together have an odd number of pages, so that stacks do not compete for the same sets of the CPU's TLB.
size_t context_guard_size(size_t stack_byte_count);

// Makes every access to [address, address + length) fault. Uses a lightweight guard, which needs no mapping of its own, if the
// kernel has them (Linux 6.13); otherwise mprotect, which splits a mapping. Returns 0, or -1 with errno.
int context_guard(void *address, size_t length);

// The number of resident pages among the up to 64 pages that lie below `top` and above `bottom`, both page-aligned.
size_t context_resident_pages(void *bottom, void *top);

// Makes context_guard behave as if the kernel had no lightweight guards, for tests.
void context_refuse_lightweight_guards(void);

// Installs, once per process, a handler that prints a message with the coroutine's name when its stack overflows.
void context_install_overflow_handler(void);

// Whether a sanitizer must be notified of every switch.
extern const bool context_is_sanitized;
void context_fiber_create(context_fiber *fiber);
// A coroutine calls this first on its stack.
void context_entered(context_fiber *fiber);
void context_resume_sanitized(context_fiber *fiber);
void context_leave_sanitized(context_fiber *fiber);

// Swift runtime functions that move a coroutine's open exclusive accesses to or from the thread. They do nothing if missing.
extern void (*context_enter_accesses)(uintptr_t *accesses);
extern void (*context_exit_accesses)(uintptr_t *accesses);

// Runs the coroutine until it leaves its stack. Call context_left next.
static inline void context_resume(context_fiber *fiber) {
  context_enter_accesses(fiber->accesses);
  stack_locals_enter(&fiber->stack->locals);
  if (__builtin_expect(context_is_sanitized, 0)) {
    context_resume_sanitized(fiber);
  } else {
    context_switch(&fiber->resumer, fiber->context);
  }
}

// Moves the coroutine's exclusive accesses and stack-local values from the thread back to its fiber. A finished coroutine
// without recorded accesses needs no call of the Swift runtime.
static inline void context_left(context_fiber *fiber, bool has_finished) {
  stack_locals_leave(&fiber->stack->locals, has_finished);
  if (has_finished && !fiber->accesses[0] && !fiber->accesses[1]) return;
  context_exit_accesses(fiber->accesses);
}

// Prefetches `count` cache lines for writing, from `first` upwards.
static inline void context_prefetch_lines(const void *first, int count) {
  for (int line = 0; line < count; line++) __builtin_prefetch((const char *)first + 64 * line, 1);
}

// Prefetches all cache lines that a switch to the coroutine will touch. If it last ran on another processor, fetching them one
// after another would take longer than the rest of a resumption.
static inline void context_prefetch(const context_fiber *fiber) {
  context_prefetch_lines((const char *)fiber + 64, 1);
  context_prefetch_lines(fiber->context, 8);
}

// Switches from the running coroutine to its resumer. Returns when the coroutine is resumed, perhaps on another thread.
static inline void context_leave(context_fiber *fiber) {
  if (__builtin_expect(context_is_sanitized, 0)) {
    context_leave_sanitized(fiber);
  } else {
    context_switch(&fiber->context, fiber->resumer);
  }
}
