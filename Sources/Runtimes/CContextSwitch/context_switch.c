#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CContextSwitch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern void context_start(void);

void *context_prepare(void *stack_top, context_entry entry, void *argument) {
  // Two words stay free, because `context_start` needs an aligned stack for its call.
  void **sp = (void **)stack_top - 2;
#if defined(__x86_64__)
  sp -= 7;
  sp[0] = (void *)context_start;
  sp[1] = sp[2] = sp[3] = NULL;  // r15, r14, r13
  sp[4] = (void *)entry;         // r12
  sp[5] = argument;              // rbx
  sp[6] = NULL;                  // rbp
#elif defined(__aarch64__)
  sp -= 20;
  for (int i = 0; i < 20; i++) sp[i] = NULL;
  sp[0] = argument;                // x19
  sp[1] = (void *)entry;           // x20
  sp[11] = (void *)context_start;  // x30
#else
#error "no context switch for this processor"
#endif
  return sp;
}

// MARK: Threads

static _Thread_local context_thread this_thread;
static _Thread_local bool is_thread_known;
static _Atomic(void (*)(context_thread *)) thread_exit_hook;
static pthread_key_t thread_exit_key;
static pthread_once_t thread_exit_once = PTHREAD_ONCE_INIT;

#define SIGNAL_STACK_BYTE_COUNT ((size_t)(64 * 1024))

static void thread_exit(void *signal_stack) {
  void (*hook)(context_thread *) = atomic_load(&thread_exit_hook);
  if (hook) hook(&this_thread);
  is_thread_known = false;
  if (signal_stack == &this_thread) return;
  stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, NULL);
  munmap(signal_stack, SIGNAL_STACK_BYTE_COUNT);
}

static void create_thread_exit_key(void) { pthread_key_create(&thread_exit_key, thread_exit); }

// Gives the thread a signal stack if it has none, because a handler cannot run on a stack that has overflowed.
static void *install_signal_stack(void) {
  stack_t old;
  if (sigaltstack(NULL, &old) != 0 || !(old.ss_flags & SS_DISABLE)) return NULL;
  void *memory =
      mmap(NULL, SIGNAL_STACK_BYTE_COUNT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  stack_t new = {.ss_sp = memory, .ss_size = SIGNAL_STACK_BYTE_COUNT};
  sigaltstack(&new, NULL);
  return memory;
}

static __attribute__((noinline)) void know_thread(void) {
  pthread_once(&thread_exit_once, create_thread_exit_key);
  void *signal_stack = install_signal_stack();
  pthread_setspecific(thread_exit_key, signal_stack ? signal_stack : &this_thread);
  is_thread_known = true;
}

__attribute__((noinline)) context_thread *context_thread_current(void) {
  __asm__ volatile("");
  if (__builtin_expect(!is_thread_known, 0)) know_thread();
  return &this_thread;
}

void context_set_thread_exit(void (*hook)(context_thread *)) { atomic_store(&thread_exit_hook, hook); }

void context_name_thread(const char *name) {
#if defined(__APPLE__)
  pthread_setname_np(name);
#else
  char kept[16];
  strncpy(kept, name, sizeof kept - 1);
  kept[sizeof kept - 1] = 0;
  pthread_setname_np(pthread_self(), kept);
#endif
}

// MARK: Guards

size_t context_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

size_t context_guard_size(size_t stack_byte_count) {
  size_t page = context_page_size();
  size_t page_count = (60 * 1024 + page - 1) / page;
  bool is_even = (stack_byte_count / page + page_count) % 2 == 0;
  return (page_count + is_even) * page;
}

size_t context_resident_pages(void *bottom, void *top) {
  unsigned char states[64];
  size_t page = context_page_size(), count = (size_t)((char *)top - (char *)bottom) / page, resident = 0;
  if (count > sizeof states) count = sizeof states;
  if (mincore((char *)top - count * page, count * page, (void *)states) != 0) return count;
  for (size_t index = 0; index < count; index++) resident += states[index] & 1;
  return resident;
}

#if !defined(MADV_GUARD_INSTALL)
#define MADV_GUARD_INSTALL 102
#endif

static atomic_bool has_no_lightweight_guard;

void context_refuse_lightweight_guards(void) { atomic_store(&has_no_lightweight_guard, true); }

int context_guard(void *address, size_t length) {
#if defined(__linux__)
  if (!atomic_load_explicit(&has_no_lightweight_guard, memory_order_relaxed)) {
    if (madvise(address, length, MADV_GUARD_INSTALL) == 0) return 0;
    atomic_store_explicit(&has_no_lightweight_guard, true, memory_order_relaxed);
  }
#endif
  return mprotect(address, length, PROT_NONE);
}

static struct sigaction previous_segv, previous_bus;

static void say(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

static void say_number(size_t number) {
  char digits[24];
  char *at = digits + sizeof digits;
  *--at = 0;
  do *--at = (char)('0' + number % 10); while (number /= 10);
  say(at);
}

// Called in a signal handler, so it may use only the functions that POSIX allows there.
static void report_overflow(int signal, siginfo_t *info, void *machine) {
  (void)machine;
  const context_fiber *fiber = this_thread.current;
  const char *address = info->si_addr;
  const context_stack *stack = fiber ? fiber->stack : NULL;
  if (stack && address < stack->bottom && address >= stack->bottom - context_guard_size(stack->byte_count)) {
    say("fatal: the stack of coroutine ");
    say(stack->name ? stack->name : "(unnamed)");
    say(" overflowed its ");
    say_number(stack->byte_count);
    say(" bytes: start that coroutine with a larger stackByteCount\n");
  }
  // After the return the fault occurs again, and the previous handler gets it.
  sigaction(signal, signal == SIGSEGV ? &previous_segv : &previous_bus, NULL);
}

static void install_overflow_handler(void) {
  struct sigaction action = {.sa_sigaction = report_overflow, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &previous_segv);
  sigaction(SIGBUS, &action, &previous_bus);  // sent by macOS for a fault in a guard
}

void context_install_overflow_handler(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install_overflow_handler);
}

// MARK: Exclusivity

static void no_accesses(uintptr_t *accesses) { (void)accesses; }

void (*context_enter_accesses)(uintptr_t *) = no_accesses;
void (*context_exit_accesses)(uintptr_t *) = no_accesses;

// The runtime functions for exclusivity accesses are no public API, so look them up by name. Use both or none.
__attribute__((constructor)) static void find_access_functions(void) {
  void *enter = dlsym(RTLD_DEFAULT, "swift_task_enterThreadLocalContext");
  void *exit = dlsym(RTLD_DEFAULT, "swift_task_exitThreadLocalContext");
  if (!enter || !exit) return;
  context_enter_accesses = (void (*)(uintptr_t *))enter;
  context_exit_accesses = (void (*)(uintptr_t *))exit;
}

// MARK: Sanitizers

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZED 1
#elif __has_feature(address_sanitizer)
#define ADDRESS_SANITIZED 1
#endif
#endif

#if defined(THREAD_SANITIZED)

const bool context_is_sanitized = true;

extern void *__tsan_get_current_fiber(void);
extern void *__tsan_create_fiber(unsigned flags);
extern void __tsan_switch_to_fiber(void *fiber, unsigned flags);

// After a call of `__tsan_switch_to_fiber`, Thread Sanitizer records calls for the other stack. So the switch of stacks must
// follow immediately, and the code between must not be instrumented.
#define NOT_INSTRUMENTED __attribute__((noinline, disable_sanitizer_instrumentation))

NOT_INSTRUMENTED void context_fiber_create(context_fiber *fiber) {
  if (!fiber->stack->tsan_fiber) fiber->stack->tsan_fiber = __tsan_create_fiber(0);
}
void context_entered(context_fiber *fiber) { (void)fiber; }
NOT_INSTRUMENTED void context_resume_sanitized(context_fiber *fiber) {
  fiber->stack->resumer_tsan_fiber = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber->stack->tsan_fiber, 0);
  context_switch(&fiber->resumer, fiber->context);
}
NOT_INSTRUMENTED void context_leave_sanitized(context_fiber *fiber) {
  __tsan_switch_to_fiber(fiber->stack->resumer_tsan_fiber, 0);
  context_switch(&fiber->context, fiber->resumer);
}

#elif defined(ADDRESS_SANITIZED)

const bool context_is_sanitized = true;

extern void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t byte_count);
extern void __sanitizer_finish_switch_fiber(void *saved, const void **old_bottom, size_t *old_byte_count);

// Restores Address Sanitizer's record of this stack after a switch to it. Stores the bounds of the resumer's stack.
static void arrive(context_stack *stack, void *frames) {
  __sanitizer_finish_switch_fiber(frames, &stack->resumer_bottom, &stack->resumer_byte_count);
}

void context_fiber_create(context_fiber *fiber) { (void)fiber; }
void context_entered(context_fiber *fiber) { arrive(fiber->stack, NULL); }
void context_resume_sanitized(context_fiber *fiber) {
  void *frames;
  __sanitizer_start_switch_fiber(&frames, fiber->stack->bottom, fiber->stack->byte_count);
  context_switch(&fiber->resumer, fiber->context);
  __sanitizer_finish_switch_fiber(frames, NULL, NULL);
}
void context_leave_sanitized(context_fiber *fiber) {
  context_stack *stack = fiber->stack;
  __sanitizer_start_switch_fiber(&stack->asan_frames, stack->resumer_bottom, stack->resumer_byte_count);
  context_switch(&fiber->context, fiber->resumer);
  arrive(stack, stack->asan_frames);
}

#else

const bool context_is_sanitized = false;

void context_fiber_create(context_fiber *fiber) { (void)fiber; }
void context_entered(context_fiber *fiber) { (void)fiber; }
void context_resume_sanitized(context_fiber *fiber) { context_switch(&fiber->resumer, fiber->context); }
void context_leave_sanitized(context_fiber *fiber) { context_switch(&fiber->context, fiber->resumer); }

#endif
