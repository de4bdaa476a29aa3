#define _GNU_SOURCE
#include "counters.h"

#include <stddef.h>

#if defined(__linux__) && !defined(SANITIZED)

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// The Swift runtime's hooks for tools: pointers to plain C functions. Weak, since a runtime may lack them.
extern void *(*_swift_allocObject)(const void *metadata, size_t size, size_t alignment_mask) __attribute__((weak));
extern void *(*_swift_retain)(void *object) __attribute__((weak));
extern void *(*_swift_retain_n)(void *object, uint32_t count) __attribute__((weak));
extern void *(*_swift_tryRetain)(void *object) __attribute__((weak));
extern void (*_swift_release)(void *object) __attribute__((weak));
extern void (*_swift_release_n)(void *object, uint32_t count) __attribute__((weak));
extern atomic_bool _swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly
    __attribute__((weak));
#define runtime_uses_pointers _swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly

extern void *swift_retain(void *object) __attribute__((weak));
extern void swift_release(void *object) __attribute__((weak));
extern void *swift_allocObject(const void *metadata, size_t size, size_t alignment_mask) __attribute__((weak));

static void *(*original_alloc_object)(const void *, size_t, size_t);
static void *(*original_retain)(void *);
static void *(*original_retain_n)(void *, uint32_t);
static void *(*original_try_retain)(void *);
static void (*original_release)(void *);
static void (*original_release_n)(void *, uint32_t);

// Whether objects are counted. One thread sets this variable before any thread runs a counting function.
static bool objects_are_counted;

// MARK: What is an object

// A cache of the 4 KiB pages that are known to be mapped, since asking the kernel takes as long as ten retains. It covers 256
// MiB, enough for 10 000 operations. If a page is unmapped later, only a short string that looks like its address does harm.
enum { PIECE_BYTES = 4096, PIECES = 1 << 16 };
static _Atomic uintptr_t mapped_pieces[PIECES];

static bool is_mapped(uintptr_t address) {
  uintptr_t piece = address / PIECE_BYTES;
  // Page 0 is never mapped, but the bits of a nine-letter string may look like an address in it.
  if (piece == 0) return false;
  _Atomic uintptr_t *known = &mapped_pieces[piece % PIECES];
  if (atomic_load_explicit(known, memory_order_relaxed) == piece) return true;
  unsigned char state;
  uintptr_t page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  if (mincore((void *)(address & ~(page_size - 1)), page_size, &state) != 0) return false;
  atomic_store_explicit(known, piece, memory_order_relaxed);
  return true;
}

// Whether the reference points to an object whose reference count changes.
//
// The runtime of Swift 6.3 also passes literal and short strings, without the bits that mark them (swiftlang/swift#88924). The
// runtime must not receive these, because it would write a count: a literal string points into an image, a short one to
// unmapped memory. Static objects in an image have counts that never change.
static bool is_counted_object(const void *reference) {
  uintptr_t address = (uintptr_t)reference;
  return address != 0 && address >> 48 == 0 && !counters_is_in_image(address) && is_mapped(address);
}

// MARK: The counting functions

static void *counting_alloc_object(const void *metadata, size_t size, size_t alignment_mask) {
  if (counters_apply()) counters_add(OBJECTS, 1);
  return original_alloc_object(metadata, size, alignment_mask);
}

static void *counting_retain(void *object) {
  if (!is_counted_object(object)) return object;
  if (counters_apply()) counters_add(RETAINS, 1);
  return original_retain(object);
}

static void *counting_retain_n(void *object, uint32_t count) {
  if (!is_counted_object(object)) return object;
  if (counters_apply()) counters_add(RETAINS, count);
  return original_retain_n(object, count);
}

static void *counting_try_retain(void *object) {
  if (!is_counted_object(object)) return object;
  void *retained = original_try_retain(object);
  if (counters_apply() && retained != NULL) counters_add(RETAINS, 1);
  return retained;
}

static void counting_release(void *object) {
  if (!is_counted_object(object)) return;
  if (counters_apply()) counters_add(RELEASES, 1);
  original_release(object);
}

static void counting_release_n(void *object, uint32_t count) {
  if (!is_counted_object(object)) return;
  if (counters_apply()) counters_add(RELEASES, count);
  original_release_n(object, count);
}

// MARK: Switching counting on and off

static bool runtime_has_pointers(void) {
  return &runtime_uses_pointers && &_swift_allocObject && &_swift_retain && &_swift_retain_n &&
         &_swift_tryRetain && &_swift_release && &_swift_release_n && swift_retain && swift_release &&
         swift_allocObject;
}

// Runs before main on the only thread, so that every thread that sees the runtime's flag also sees these pointers: the runtime
// reads both without ordering. The pointers stay set, since a thread that saw the flag may call one later.
__attribute__((constructor)) static void take_pointers(void) {
  if (!runtime_has_pointers()) return;
  original_alloc_object = _swift_allocObject;
  original_retain = _swift_retain;
  original_retain_n = _swift_retain_n;
  original_try_retain = _swift_tryRetain;
  original_release = _swift_release;
  original_release_n = _swift_release_n;
  _swift_retain = counting_retain;
  _swift_retain_n = counting_retain_n;
  _swift_tryRetain = counting_try_retain;
  _swift_release = counting_release;
  _swift_release_n = counting_release_n;
}

bool counters_count_objects(void) { return objects_are_counted; }

void counters_hook_objects(bool on) {
  if (original_alloc_object == NULL) return;
  if (on) {
    counters_look_up_images();
    atomic_store(&runtime_uses_pointers, true);
    __atomic_store_n(&_swift_allocObject, counting_alloc_object, __ATOMIC_SEQ_CST);
  } else {
    // The pointer is restored before the flag is reset: until then the Swift runtime would set the flag again.
    __atomic_store_n(&_swift_allocObject, original_alloc_object, __ATOMIC_SEQ_CST);
    atomic_store(&runtime_uses_pointers, false);
  }
}

bool counters_runtime_is_untouched(void) {
  return original_alloc_object == NULL ||
         (!atomic_load(&runtime_uses_pointers) && _swift_allocObject == original_alloc_object);
}

bool counters_prove_objects(bool (*holds)(void)) {
  if (original_alloc_object == NULL) return false;
  pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    // If counting crashes or hangs in this child process, one of these signals ends it, without a core file and within 20 s.
    const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGALRM};
    sigset_t none;
    sigemptyset(&none);
    for (size_t index = 0; index < sizeof fatal / sizeof *fatal; index++) signal(fatal[index], SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    alarm(20);
    objects_are_counted = true;
    _exit(holds() ? 0 : 1);
  }
  int status = 1;
  while (waitpid(child, &status, 0) < 0) {
  }
  objects_are_counted = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return objects_are_counted;
}

void counters_plant_retains(void *object, uint64_t count) {
  for (uint64_t index = 0; index < count; index++) swift_release(swift_retain(object));
}

void counters_plant_objects(void *like, uint64_t count) {
  // The first word of an object is its class's metadata.
  const void *metadata = *(const void **)like;
  for (uint64_t index = 0; index < count; index++) {
    swift_release(swift_allocObject(metadata, 2 * sizeof(void *), 2 * sizeof(void *) - 1));
  }
}

#else

bool counters_count_objects(void) { return false; }
void counters_hook_objects(bool on) { (void)on; }
bool counters_runtime_is_untouched(void) { return true; }

bool counters_prove_objects(bool (*holds)(void)) {
  (void)holds;
  return false;
}

void counters_plant_retains(void *object, uint64_t count) {
  (void)object;
  (void)count;
}

void counters_plant_objects(void *like, uint64_t count) {
  (void)like;
  (void)count;
}

#endif
