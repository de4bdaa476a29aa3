#pragma once
#include <stddef.h>

// Bytes of the process's heap in use; 0 where unknown.
size_t leftover_bytes(void);
