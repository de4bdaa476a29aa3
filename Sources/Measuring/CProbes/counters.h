#pragma once
#include <stdatomic.h>

#include "CCounters.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

enum counter { ALLOCATIONS, ALLOCATED_BYTES, OBJECTS, RETAINS, RELEASES, COUNTERS };

extern atomic_bool counters_are_on;
extern _Atomic uint64_t counters_totals[COUNTERS];

// The initial-exec model places the variable in memory that each thread has before its first allocation.
extern _Thread_local bool counters_skip_thread __attribute__((tls_model("initial-exec")));

static inline bool counters_apply(void) {
  return __builtin_expect(atomic_load_explicit(&counters_are_on, memory_order_relaxed), false) &&
         !counters_skip_thread;
}

static inline void counters_add(enum counter counter, uint64_t count) {
  atomic_fetch_add_explicit(&counters_totals[counter], count, memory_order_relaxed);
}

// Installs the counting functions in the Swift runtime, or removes them.
void counters_hook_objects(bool on);

// Looks up this process's executable and libraries. Call it on one thread at a time, and not while images are loaded.
void counters_look_up_images(void);

// Whether the address is in an image that counters_look_up_images found at its last call. Any thread may call this function.
bool counters_is_in_image(uintptr_t address);
