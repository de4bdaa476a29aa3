#include "counters.h"

#include <stdlib.h>

atomic_bool counters_are_on;
_Atomic uint64_t counters_totals[COUNTERS];
_Thread_local bool counters_skip_thread;

void counters_set_counting(bool on) {
  if (on && counters_count_objects()) counters_hook_objects(true);
  atomic_store(&counters_are_on, on);
  if (!on) counters_hook_objects(false);
}

void counters_set_thread_counted(bool counted) { counters_skip_thread = !counted; }

void counters_reset(void) {
  for (int counter = 0; counter < COUNTERS; counter++) atomic_store(&counters_totals[counter], 0);
}

struct counters counters_values(void) {
  return (struct counters){
      .allocations = atomic_load(&counters_totals[ALLOCATIONS]),
      .allocated_bytes = atomic_load(&counters_totals[ALLOCATED_BYTES]),
      .objects = atomic_load(&counters_totals[OBJECTS]),
      .retains = atomic_load(&counters_totals[RETAINS]),
      .releases = atomic_load(&counters_totals[RELEASES]),
  };
}

void counters_plant_allocations(uint64_t count, size_t bytes) {
  for (uint64_t index = 0; index < count; index++) {
    // Without `volatile`, the compiler would remove the allocation.
    void *volatile pointer = malloc(bytes);
    free(pointer);
  }
}
