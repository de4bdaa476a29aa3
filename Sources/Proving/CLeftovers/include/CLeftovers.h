#pragma once
#include <stddef.h>

// The bytes of the process's heap in use, or 0 on platforms that cannot tell.
size_t leftover_bytes(void);
