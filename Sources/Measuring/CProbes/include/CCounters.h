#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Counts allocations and reference counting of all threads, except those that opt out, while counting is on.
//
// Allocations: on Linux with glibc, malloc, calloc, realloc and the aligned functions are interposed, and call the allocator that
// `free` belongs to. A realloc counts as one allocation of its new size; an allocator linked into the executable is not counted.
//
// Objects, retains and releases: on Linux the Swift runtime calls exported pointers while a flag is set; they are replaced while
// counting is on. Elsewhere, and under a sanitizer (which interposes the same functions), nothing is counted.

struct counters {
  uint64_t allocations;
  uint64_t allocated_bytes;
  uint64_t objects;
  uint64_t retains;
  uint64_t releases;
};

// Whether allocations are counted: tries one. For one thread, while counting is off.
bool counters_count_allocations(void);

// The library that provides `free` instead of glibc, such as libjemalloc.so.2; NULL if there is none.
const char *counters_foreign_allocator(void);

// Whether objects, retains and releases are counted: not before counters_prove_objects has returned true.
bool counters_count_objects(void);

// Tries the runtime's pointers in a forked child, where a crash does no harm: `holds` runs there with counting on and checks the
// counts. Objects are counted from then on if it returned true.
//
// For one thread, once. `holds` must have run in this process before, so that nothing is set up for the first time.
bool counters_prove_objects(bool (*holds)(void));

// Switches counting on or off; counts are kept. Off, an allocation costs one predicted branch, and the runtime is unchanged. For one
// thread.
void counters_set_counting(bool on);

// Whether the runtime is unchanged: false while objects are counted.
bool counters_runtime_is_untouched(void);

// Whether the calling thread is counted; it is at first.
void counters_set_thread_counted(bool counted);

void counters_reset(void);
struct counters counters_values(void);

// Known work, exactly `count` times: allocate and free; retain and release an object; allocate and release an object of the class of
// `like`, which must have no stored properties.
void counters_plant_allocations(uint64_t count, size_t bytes);
void counters_plant_retains(void *object, uint64_t count);
void counters_plant_objects(void *like, uint64_t count);
