#pragma once
#include <stdbool.h>

// Values that libraries keep for each stack that code runs on: a thread's own stack, and each coroutine's. They are like
// thread-local variables, but move with a coroutine to another thread: each switch of stacks exchanges all values.

enum {
  stack_local_deliveries,
  stack_local_nesting,
  stack_local_releases,
  stack_local_count,
};

typedef struct stack_locals {
  void *values[stack_local_count];
} stack_locals;

// Returns the value at this index of the running stack. NULL until it is set.
void *stack_local(int index);

// Sets a value that is still NULL. `destroy`, always the same for an index, is called when the thread or coroutine ends.
void stack_local_set(int index, void *value, void (*destroy)(void *value));

// Whether any stack has a value. If not, a switch need not exchange values.
extern bool stack_locals_are_used;

void stack_locals_swap(stack_locals *others);
void stack_locals_destroy(stack_locals *locals);

static inline bool stack_locals_must_be_exchanged(void) {
  return __builtin_expect(__atomic_load_n(&stack_locals_are_used, __ATOMIC_RELAXED), 0);
}

// Exchanges the running stack's values for those of another stack. Call it before a switch to that stack.
static inline void stack_locals_enter(stack_locals *others) {
  if (stack_locals_must_be_exchanged()) stack_locals_swap(others);
}

// Exchanges the values back. Call it after the switch back. `has_ended` means that the other stack's coroutine has ended.
static inline void stack_locals_leave(stack_locals *others, bool has_ended) {
  if (!stack_locals_must_be_exchanged()) return;
  stack_locals_swap(others);
  if (has_ended) stack_locals_destroy(others);
}
