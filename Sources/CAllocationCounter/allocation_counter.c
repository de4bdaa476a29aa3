#include "CAllocationCounter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static atomic_bool counting;
static _Atomic uint64_t allocations;
static _Atomic uint64_t allocated_bytes;

void allocation_counter_set_counting(bool on) { atomic_store(&counting, on); }

void allocation_counter_reset(void) {
  atomic_store(&allocations, 0);
  atomic_store(&allocated_bytes, 0);
}

uint64_t allocation_counter_count(void) { return atomic_load(&allocations); }
uint64_t allocation_counter_bytes(void) { return atomic_load(&allocated_bytes); }

#if defined(__GLIBC__) && !defined(SANITIZED)

// glibc's own allocator under the names that it keeps for those who interpose the public ones.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

bool allocation_counter_is_available(void) { return true; }

static inline void *counted(void *pointer, size_t size) {
  if (__builtin_expect(atomic_load_explicit(&counting, memory_order_relaxed), false) && pointer != NULL) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&allocated_bytes, size, memory_order_relaxed);
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

bool allocation_counter_is_available(void) { return false; }

#endif
