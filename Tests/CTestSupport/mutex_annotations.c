// Thread Sanitizer instruments the uncontended path of Swift's Mutex, which is compiled into its user, but not the contended
// one, in the standard library: without this, state under such a lock is reported as a race.
//
// Defines the two functions of the slow path in front of the library's, calls those and notifies the sanitizer. Their names and
// arguments are part of the library's stable interface.

#include "CTestSupport.h"

#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFTCALL __attribute__((swiftcall, disable_sanitizer_instrumentation))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *address);
void __tsan_release(void *address);

typedef __attribute__((swiftcall)) void lock_function(uint32_t thread, SELF void *mutex);
typedef __attribute__((swiftcall)) void unlock_function(SELF void *mutex);

static lock_function *library_lock;
static unlock_function *library_unlock;

static void *find(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) abort();
  return function;
}

__attribute__((constructor)) static void find_library(void) {
  library_lock = (lock_function *)find(LOCK);
  library_unlock = (unlock_function *)find(UNLOCK);
}

SWIFTCALL void annotated_lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFTCALL void annotated_unlock(SELF void *mutex) __asm__(UNLOCK);

SWIFTCALL void annotated_lock(uint32_t thread, SELF void *mutex) {
  library_lock(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFTCALL void annotated_unlock(SELF void *mutex) {
  __tsan_release(mutex);
  library_unlock(mutex);
}

#endif
#endif
