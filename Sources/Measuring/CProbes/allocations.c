#define _GNU_SOURCE
#include "counters.h"

#if defined(__GLIBC__) && !defined(SANITIZED)

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

// The functions of glibc's own allocator. glibc exports these names for libraries that replace `malloc`.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

// The functions of the allocator that `free` belongs to: glibc's, or a preloaded or linked one. All memory must come from it.
struct allocator {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void *(*memalign)(size_t, size_t);
};

// The allocator in use. Its functions are null until the first call.
static struct allocator allocator;

// Whether `free` is glibc's. `free` and `__libc_free` are the same function unless a library or the executable defines `free`.
static bool is_glibc(void) {
  void (*volatile mine)(void *) = free;
  return mine == __libc_free;
}

// No lock is needed: the loader allocates, and so calls this function, before any other thread exists.
static void look_up_allocator(void) {
  if (is_glibc()) {
    allocator = (struct allocator){__libc_malloc, __libc_calloc, __libc_realloc, __libc_memalign};
    return;
  }
  *(void **)&allocator.malloc = dlsym(RTLD_NEXT, "malloc");
  *(void **)&allocator.calloc = dlsym(RTLD_NEXT, "calloc");
  *(void **)&allocator.realloc = dlsym(RTLD_NEXT, "realloc");
  *(void **)&allocator.memalign = dlsym(RTLD_NEXT, "memalign");
}

static inline const struct allocator *allocator_behind(void) {
  if (__builtin_expect(allocator.malloc == NULL, false)) look_up_allocator();
  return &allocator;
}

static inline void *counted(void *pointer, size_t size) {
  if (counters_apply() && pointer != NULL) {
    counters_add(ALLOCATIONS, 1);
    counters_add(ALLOCATED_BYTES, size);
  }
  return pointer;
}

// These functions are weak symbols: an allocator that is linked into the executable replaces them, and then nothing is counted.
#define WEAK __attribute__((weak))

WEAK void *malloc(size_t size) { return counted(allocator_behind()->malloc(size), size); }
WEAK void *calloc(size_t count, size_t size) { return counted(allocator_behind()->calloc(count, size), count * size); }
WEAK void *realloc(void *old, size_t size) { return counted(allocator_behind()->realloc(old, size), size); }
WEAK void *memalign(size_t alignment, size_t size) {
  return counted(allocator_behind()->memalign(alignment, size), size);
}
WEAK void *aligned_alloc(size_t alignment, size_t size) {
  return counted(allocator_behind()->memalign(alignment, size), size);
}

WEAK int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *pointer = counted(allocator_behind()->memalign(alignment, size), size);
  if (pointer == NULL) return ENOMEM;
  *result = pointer;
  return 0;
}

bool counters_count_allocations(void) {
  bool was_skipped = counters_skip_thread;
  uint64_t before = atomic_load(&counters_totals[ALLOCATIONS]);
  counters_skip_thread = false;
  atomic_store(&counters_are_on, true);
  counters_plant_allocations(1, 16);
  atomic_store(&counters_are_on, false);
  counters_skip_thread = was_skipped;
  return atomic_load(&counters_totals[ALLOCATIONS]) != before;
}

const char *counters_foreign_allocator(void) {
  // `free` is glibc's if `getenv` is in the same library. Its name proves nothing: other allocators define glibc's names, too.
  Dl_info its, glibcs;
  void (*volatile mine)(void *) = free;
  char *(*volatile other)(const char *) = getenv;
  if (!dladdr(*(void **)&mine, &its) || !dladdr(*(void **)&other, &glibcs)) return "another library";
  if (its.dli_fbase == glibcs.dli_fbase) return NULL;
  const char *slash = strrchr(its.dli_fname, '/');
  return slash ? slash + 1 : its.dli_fname;
}

#else

bool counters_count_allocations(void) { return false; }
const char *counters_foreign_allocator(void) { return NULL; }

#endif
