#define _GNU_SOURCE
#include "CMachineProbes.h"

#if defined(__linux__)
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if !defined(MADV_GUARD_INSTALL)
#define MADV_GUARD_INSTALL 102
#endif

bool machine_counts_instructions(void) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  // Of this process, on any processor.
  long descriptor = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (descriptor < 0) return false;
  close((int)descriptor);
  return true;
}

bool machine_guards_pages_lightly(void) {
  size_t length = (size_t)sysconf(_SC_PAGESIZE);
  void *page = mmap(0, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  bool is_guarded = madvise(page, length, MADV_GUARD_INSTALL) == 0;
  munmap(page, length);
  return is_guarded;
}

bool machine_wakes_promptly(void) { return prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0; }

#else

bool machine_counts_instructions(void) { return false; }
bool machine_guards_pages_lightly(void) { return false; }
bool machine_wakes_promptly(void) { return false; }

#endif
