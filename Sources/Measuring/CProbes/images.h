#pragma once
#include <stdbool.h>
#include <stdint.h>

// Where the images of this process lie: its executable and its libraries.

// For one thread at a time, and not while images are being loaded.
void counters_look_up_images(void);

// Whether an address lay in an image when they were last looked up. For any thread, at any time.
bool counters_is_in_image(uintptr_t address);
