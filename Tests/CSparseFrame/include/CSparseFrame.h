#pragma once
#include <stddef.h>

// Calls itself so often, with frames of 56 KiB of which it touches the ends only.
size_t sparse_frames(size_t depth);
