#pragma once
#include <stdbool.h>
#include <stdint.h>

// Counts what this process allocates, over all threads, while counting is on.
//
// On Linux with glibc the allocator's entry points are interposed: malloc, calloc, realloc and the aligned ones. A
// realloc counts as one allocation of its new size. Elsewhere, and under a sanitizer (which interposes the same entry
// points), nothing is counted and allocation_counter_is_available() is false.

bool allocation_counter_is_available(void);

// Counting goes on where it was left; off, an allocation costs one predicted branch more.
void allocation_counter_set_counting(bool on);

void allocation_counter_reset(void);

uint64_t allocation_counter_count(void);
uint64_t allocation_counter_bytes(void);
