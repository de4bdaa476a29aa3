#pragma once
#include <stddef.h>
#include <stdint.h>

// The switch between stacks, and what must be done in C around it.
//
// A context is a saved stack pointer: everything else that a switch preserves lies on the stack below it.

typedef void (*context_entry)(void *argument);

// Lays out a fresh stack so that the first switch to the returned context calls entry(argument), which must never
// return. stack_top is the address behind the last byte of the stack, 16-byte aligned.
void *context_prepare(void *stack_top, context_entry entry, void *argument);

// Saves the running context to *save and continues the context `load`; returns when someone switches back.
//
// It preserves what the System V (x86-64) and AAPCS64 (arm64) calling conventions ask of a callee, without the
// floating-point control words: they belong to the thread. A coroutine that changes them restores them before it suspends.
// The switch jumps to the saved address instead of returning to it, because the processor's return predictor would
// miss every time.
void context_switch(void **save, void *load);

// What runs on this thread; NULL outside of any. Calls, so that no compiler keeps a thread's address across a switch.
void *context_current(void);
void context_set_current(void *current);

// One more word for each thread: what is ready to run once the running coroutine has suspended.
void *context_ready(void);
void context_set_ready(void *ready);

// The bytes that the kernel protects below a stack: one page, rounded up to the page size.
size_t context_page_size(void);

// Makes [address, address + page) fault when touched. Lightweight where the kernel can (Linux 6.13), which costs no
// mapping; otherwise mprotect, which splits one. Returns 0, or -1 with errno.
int context_guard(void *address, size_t length);

// Thread Sanitizer's view of a stack; NULL and nothing at all in other builds.
void *context_fiber_create(void);
void context_fiber_destroy(void *fiber);
void *context_fiber_current(void);

// context_switch, with the sanitizers told. `fiber` is that of the context to load.
void context_switch_to_fiber(void **save, void *load, void *fiber);
