#include "CMachineProbes.h"

#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>

void machine_give_back_free_memory(void) { malloc_trim(0); }

#elif defined(__APPLE__)
#include <malloc/malloc.h>

void machine_give_back_free_memory(void) { malloc_zone_pressure_relief(NULL, 0); }

#else

void machine_give_back_free_memory(void) {}

#endif
