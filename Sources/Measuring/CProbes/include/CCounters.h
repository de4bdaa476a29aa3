#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Counts what this process allocates and how often it changes reference counts, over all threads but those that say that
// they are not to be counted, while counting is on.
//
// Allocations: on Linux with glibc the allocator's entry points are interposed: malloc, calloc, realloc and the aligned
// ones. A realloc counts as one allocation of its new size. They hand on to whatever `free` belongs to: glibc, or an
// allocator that was preloaded or linked. One that is linked into the executable is not counted.
//
// Objects, retains and releases: on Linux the Swift runtime calls through pointers that it exports for instruments, as
// long as a flag is set. They are replaced while counting is on, and only then.
//
// Elsewhere, and under a sanitizer (which interposes the same entry points), nothing is counted.

struct counters {
  uint64_t allocations;
  uint64_t allocated_bytes;
  uint64_t objects;
  uint64_t retains;
  uint64_t releases;
};

// Whether allocations are counted, found out by one. For one thread, while nothing is counted.
bool counters_count_allocations(void);

// What provides `free` instead of glibc, such as libjemalloc.so.2; NULL: nothing does.
const char *counters_foreign_allocator(void);

// Whether objects, retains and releases are counted: not before counters_prove_objects has returned true.
bool counters_count_objects(void);

// Tries the runtime's pointers in a forked child, where whatever goes wrong harms nobody: `holds` runs there while
// counting is on and says whether the counts are right. From then on objects are counted if it returned true.
//
// For one thread, once. What `holds` does must have been done in this process before, so that nothing is set up twice.
bool counters_prove_objects(bool (*holds)(void));

// Counting goes on where it was left. Off, an allocation costs one predicted branch more, and the runtime is as it was.
//
// For one thread.
void counters_set_counting(bool on);

// Whether the runtime is as it was: false while objects are counted.
bool counters_runtime_is_untouched(void);

// What the calling thread does is counted unless it says otherwise: all threads begin counted.
void counters_set_thread_counted(bool counted);

void counters_reset(void);
struct counters counters_values(void);

// Does what is counted, exactly so often: allocates and frees; retains and releases an object of the Swift runtime;
// allocates and releases objects of the same class as one that has no stored properties.
void counters_plant_allocations(uint64_t count, size_t bytes);
void counters_plant_retains(void *object, uint64_t count);
void counters_plant_objects(void *like, uint64_t count);
