#define _GNU_SOURCE
#include "counters.h"

#if defined(__linux__) && !defined(SANITIZED)

#include <link.h>
#include <stdatomic.h>
#include <stdlib.h>

struct range { uintptr_t start, end; };

// The address ranges of the executable and its libraries, and how often the loader had loaded and unloaded libraries by then.
struct images {
  unsigned long long loads, unloads;
  size_t count, capacity;
  struct range ranges[];
};

static const struct images none;

// A published list is never changed or freed, since another thread may be reading it. A process publishes only a few.
static const struct images *_Atomic published = &none;

static int add_image(struct dl_phdr_info *image, size_t size, void *context) {
  (void)size;
  struct images *images = context;
  images->loads = image->dlpi_adds;
  images->unloads = image->dlpi_subs;
  for (int index = 0; index < image->dlpi_phnum; index++) {
    const ElfW(Phdr) *segment = &image->dlpi_phdr[index];
    if (segment->p_type != PT_LOAD) continue;
    if (images->count < images->capacity) {
      uintptr_t start = image->dlpi_addr + segment->p_vaddr;
      // Swift's reference to a string literal points up to 32 bytes before the text, so the range starts that much earlier.
      images->ranges[images->count] = (struct range){start - 32, start + segment->p_memsz};
    }
    images->count++;
  }
  return 0;
}

void counters_look_up_images(void) {
  struct images size = {0};
  dl_iterate_phdr(add_image, &size);
  const struct images *last = atomic_load(&published);
  if (last != &none && last->loads == size.loads && last->unloads == size.unloads) return;
  for (size_t capacity = size.count;;) {
    struct images *images = calloc(1, sizeof *images + capacity * sizeof *images->ranges);
    // Without a complete list of images, a counted retain might write into a string literal.
    if (images == NULL) abort();
    images->capacity = capacity;
    dl_iterate_phdr(add_image, images);
    if (images->count <= capacity) {
      atomic_store(&published, images);
      return;
    }
    capacity = images->count;
    free(images);
  }
}

bool counters_is_in_image(uintptr_t address) {
  const struct images *images = atomic_load_explicit(&published, memory_order_acquire);
  for (size_t index = 0; index < images->count; index++) {
    if (address >= images->ranges[index].start && address < images->ranges[index].end) return true;
  }
  return false;
}

#endif
