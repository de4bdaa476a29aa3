#pragma once
#include <stddef.h>

// How many bytes of the process's heap are in use; 0 where that is not known.
size_t leftover_bytes(void);
