#include "counters.h"

#include <errno.h>
#include <stddef.h>

#if defined(__GLIBC__) && !defined(SANITIZED)

// glibc's own allocator under the names that it keeps for those who interpose the public ones.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

bool counters_count_allocations(void) { return true; }

static inline void *counted(void *pointer, size_t size) {
  if (counters_apply() && pointer != NULL) {
    counters_add(ALLOCATIONS, 1);
    counters_add(ALLOCATED_BYTES, size);
  }
  return pointer;
}

void *malloc(size_t size) { return counted(__libc_malloc(size), size); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size), count * size); }
void *realloc(void *old, size_t size) { return counted(__libc_realloc(old, size), size); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size), size); }
void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size), size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *pointer = counted(__libc_memalign(alignment, size), size);
  if (pointer == NULL) return ENOMEM;
  *result = pointer;
  return 0;
}

#else

bool counters_count_allocations(void) { return false; }

#endif
