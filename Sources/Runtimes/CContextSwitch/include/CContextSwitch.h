#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CStackLocals.h"

// The switch between stacks, and the C around it. A context is a saved stack pointer: everything else that a switch preserves
// lies on the stack below it.

typedef void (*context_entry)(void *argument);

// Lays out a new stack so that the first switch to the returned context calls entry(argument), which must never return.
// stack_top is the address after the last byte of the stack, 16-byte aligned.
void *context_prepare(void *stack_top, context_entry entry, void *argument);

// Saves the running context to *save and continues the context `load`; returns at the next switch back.
//
// It preserves what the System V (x86-64) and AAPCS64 (arm64) calling conventions require of a callee, but not the
// floating-point control words, which belong to the thread: a coroutine restores them before it suspends. The switch jumps to
// the saved address instead of returning to it, because the processor's return predictor would miss every time.
void context_switch(void **save, void *load);

// A coroutine's stack, for signal handlers and sanitizers; written while no switch is running.
typedef struct context_stack {
  char *bottom;      // the guard lies below
  size_t byte_count;
  const char *name;  // for the overflow message, or NULL
  void *tsan_fiber;  // Thread Sanitizer's; NULL in other builds, as are the next
  void *resumer_tsan_fiber;
  void *asan_frames;  // Address Sanitizer's record of this stack while the coroutine is suspended
  const void *resumer_bottom;
  size_t resumer_byte_count;
  stack_locals locals;  // the coroutine's while it is suspended, those of the stack that resumed it while it runs
} context_stack;

// The state of a switch to and from a coroutine. Only the thread that runs the coroutine, or has claimed it, touches it.
typedef struct context_fiber {
  void *context;          // where the coroutine continues
  void *resumer;          // where the thread continues when the coroutine leaves
  uintptr_t accesses[2];  // the open accesses of Swift's exclusivity checking, in the runtime's form
  context_stack *stack;
} context_fiber;

// A thread's state for coroutines.
typedef struct context_thread {
  void *current;      // the fiber that runs on this thread, NULL outside of any
  void *ready_first;  // fibers to run here once the running one has left
  void *ready_last;
  bool is_driving;    // a caller on this stack will run them
  void *callback_turn;  // the callbacks that are running here, outside of any coroutine
  void *free_fibers;  // fibers of the standard size without work
  long free_fiber_count;
  unsigned long pool_worker;  // which worker of which pool it is, 0 for all others
} context_thread;

// A call that the compiler cannot inline, so that it keeps no thread's address across a switch. Never use its result on both
// sides of a switch that may change the thread.
__attribute__((returns_nonnull)) context_thread *context_thread_current(void);

// Names the calling thread; Linux keeps the first 15 bytes.
void context_name_thread(const char *name);

// Called with each thread that used coroutines when it ends.
void context_set_thread_exit(void (*hook)(context_thread *thread));

size_t context_page_size(void);

// The bytes that are protected below a stack of that size: 60 KiB or a page more. A frame larger than the guard, half of the
// standard stack, could skip it. Guards take page tables, not memory. Stack and guard together take an odd number of pages, so
// that stacks do not compete for the same sets of the processor's translation caches.
size_t context_guard_size(size_t stack_byte_count);

// Makes [address, address + length) fault when touched. Lightweight where the kernel can (Linux 6.13), which costs no mapping;
// otherwise mprotect, which splits one. Returns 0, or -1 with errno.
int context_guard(void *address, size_t length);

// How many of the last 64 pages below `top`, and above `bottom`, are in memory; both are page-aligned.
size_t context_resident_pages(void *bottom, void *top);

// Behaves from now on as if the kernel had no lightweight guards; for tests.
void context_refuse_lightweight_guards(void);

// Turns a fault in the guard below the running coroutine's stack into a message that names it; once per process.
void context_install_overflow_handler(void);

// Whether a sanitizer must be notified of every switch.
extern const bool context_is_sanitized;
void context_fiber_create(context_fiber *fiber);
// The first call of a coroutine on its stack.
void context_entered(context_fiber *fiber);
void context_resume_sanitized(context_fiber *fiber);
void context_leave_sanitized(context_fiber *fiber);

// swift_task_enterThreadLocalContext and its counterpart: they carry the open accesses of a coroutine from thread to thread.
// They do nothing where the Swift runtime lacks them.
extern void (*context_enter_accesses)(uintptr_t *accesses);
extern void (*context_exit_accesses)(uintptr_t *accesses);

// Runs the coroutine until it leaves. Call context_left next.
static inline void context_resume(context_fiber *fiber) {
  context_enter_accesses(fiber->accesses);
  stack_locals_enter(&fiber->stack->locals);
  if (__builtin_expect(context_is_sanitized, 0)) {
    context_resume_sanitized(fiber);
  } else {
    context_switch(&fiber->resumer, fiber->context);
  }
}

// Takes the coroutine's state off the thread. A finished coroutine has closed its accesses: if nothing was recorded when it was
// entered either, there is nothing to take off.
static inline void context_left(context_fiber *fiber, bool has_finished) {
  stack_locals_leave(&fiber->stack->locals, has_finished);
  if (has_finished && !fiber->accesses[0] && !fiber->accesses[1]) return;
  context_exit_accesses(fiber->accesses);
}

// Fetches cache lines that will be written, from the first upwards.
static inline void context_prefetch_lines(const void *first, int count) {
  for (int line = 0; line < count; line++) __builtin_prefetch((const char *)first + 64 * line, 1);
}

// Fetches the cache lines that a switch to the coroutine will touch, all at once: if it last ran on another processor, fetching
// them one after another would cost more than the rest of a resumption.
static inline void context_prefetch(const context_fiber *fiber) {
  context_prefetch_lines((const char *)fiber + 64, 1);
  context_prefetch_lines(fiber->context, 8);
}

// Leaves the running coroutine for its resumer; returns when it is resumed, perhaps on another thread.
static inline void context_leave(context_fiber *fiber) {
  if (__builtin_expect(context_is_sanitized, 0)) {
    context_leave_sanitized(fiber);
  } else {
    context_switch(&fiber->context, fiber->resumer);
  }
}
