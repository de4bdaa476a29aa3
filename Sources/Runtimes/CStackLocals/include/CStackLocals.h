#pragma once
#include <stdbool.h>

// What a library keeps for each stack that it runs on: a thread's own stack, and that of each coroutine.
//
// A thread-local variable would be wrong: a coroutine that suspends may continue on another thread, and would leave its value
// to the next code on the first. A library that switches stacks exchanges all values on the way in and out.

enum {
  stack_local_deliveries,
  stack_local_nesting,
  stack_local_releases,
  stack_local_count,
};

typedef struct stack_locals {
  void *values[stack_local_count];
} stack_locals;

// The value of the running stack, NULL until it is set.
void *stack_local(int index);

// Sets a value that is NULL. `destroy` is called when the thread or the coroutine ends; all callers give the same for an index.
void stack_local_set(int index, void *value, void (*destroy)(void *value));

// Whether any value has ever been set; if not, there is nothing to exchange.
extern bool stack_locals_are_used;

void stack_locals_swap(stack_locals *others);
void stack_locals_destroy(stack_locals *locals);

static inline bool stack_locals_must_be_exchanged(void) {
  return __builtin_expect(__atomic_load_n(&stack_locals_are_used, __ATOMIC_RELAXED), 0);
}

// On the way to another stack: exchanges the running values for its own.
static inline void stack_locals_enter(stack_locals *others) {
  if (stack_locals_must_be_exchanged()) stack_locals_swap(others);
}

// On the way back; `has_ended`: nothing runs on that stack any more.
static inline void stack_locals_leave(stack_locals *others, bool has_ended) {
  if (!stack_locals_must_be_exchanged()) return;
  stack_locals_swap(others);
  if (has_ended) stack_locals_destroy(others);
}
