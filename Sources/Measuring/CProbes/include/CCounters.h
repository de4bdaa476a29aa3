#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Counts the allocations, retains and releases of all threads that have not opted out.
//
// Allocations: on Linux with glibc, malloc, calloc, realloc and the aligned functions are replaced by functions that count and
// then call the allocator of `free`. A realloc counts as one allocation of its new size. If the executable has its own
// allocator, nothing is counted.
//
// Objects, retains and releases: on Linux the Swift runtime calls exported function pointers while a flag is set. Counting
// replaces these pointers. On other platforms, and under a sanitizer (which replaces the same functions), nothing is counted.

struct counters {
  uint64_t allocations;
  uint64_t allocated_bytes;
  uint64_t objects;
  uint64_t retains;
  uint64_t releases;
};

// Allocates memory to test whether allocations are counted. Call it on one thread, while counting is off.
bool counters_count_allocations(void);

// The library that provides `free` instead of glibc, or NULL. Example: libjemalloc.so.2.
const char *counters_foreign_allocator(void);

// Whether objects, retains and releases are counted. False until counters_prove_objects has returned true.
bool counters_count_objects(void);

// Tests whether objects can be counted, in a forked child process, where a crash does no harm. There `holds` counts known work
// and returns whether the counts are right. If they are, objects are counted from then on. Call it on one thread, after the
// work of `holds` has run once in this process, so that the child process needs no set-up.
bool counters_prove_objects(bool (*holds)(void));

// Switches counting on or off and keeps the counts. Call it on one thread. When off, it costs a branch for each allocation.
void counters_set_counting(bool on);

// Whether the Swift runtime is unchanged. False while objects are counted.
bool counters_runtime_is_untouched(void);

// Sets whether the calling thread's work is counted. At first, the work of every thread is counted.
void counters_set_thread_counted(bool counted);

void counters_reset(void);
struct counters counters_values(void);

// Do known work `count` times, to test the counters: allocate and free memory; retain and release an object; create and release
// an object of the class of `like`, which must have no stored properties.
void counters_plant_allocations(uint64_t count, size_t bytes);
void counters_plant_retains(void *object, uint64_t count);
void counters_plant_objects(void *like, uint64_t count);
