#include "CExploration.h"
#include <pthread.h>
#include <stddef.h>

// The Swift runtime's hooks for custom executors. Weak symbols: the address is null if the runtime lacks one.
#define SWIFT __attribute__((swiftcall))
#if defined(__APPLE__)
#define MAYBE __attribute__((weak_import))
#else
#define MAYBE __attribute__((weak))
#endif

typedef SWIFT void (*enqueue)(void *job);
typedef SWIFT void (*enqueue_delayed)(unsigned long long nanoseconds, void *job);
typedef SWIFT void (*enqueue_until)(long long, long long, long long, long long, int, void *job);
typedef SWIFT void (*hook)(void *job, enqueue original);
typedef SWIFT void (*hook_delayed)(unsigned long long nanoseconds, void *job, enqueue_delayed original);
typedef SWIFT void (*hook_until)(long long, long long, long long, long long, int, void *job, enqueue_until original);

extern hook swift_task_enqueueGlobal_hook MAYBE;
extern hook swift_task_enqueueMainExecutor_hook MAYBE;
extern hook_delayed swift_task_enqueueGlobalWithDelay_hook MAYBE;
extern hook_until swift_task_enqueueGlobalWithDeadline_hook MAYBE;
extern SWIFT uint64_t swift_task_getJobTaskId(void *) MAYBE;
extern SWIFT bool swift_task_isCancelled(void *) MAYBE;
extern SWIFT void swift_job_run(void *, uintptr_t, uintptr_t) MAYBE;
extern SWIFT size_t swift_task_currentPriority(void *) MAYBE;
extern SWIFT void *swift_task_getCurrent(void) MAYBE;

static _Thread_local const job_sink *sink;

// The hooks that were set before ours. They are called on threads that have set no callbacks (`job_sink`).
static hook previous_global, previous_main;
static hook_delayed previous_delayed;
static hook_until previous_until;

static SWIFT void on_global(void *job, enqueue original) {
  if (sink) sink->enqueued(sink->context, job, JOB_GLOBAL);
  else if (previous_global) previous_global(job, original);
  else original(job);
}

static SWIFT void on_main(void *job, enqueue original) {
  if (sink) sink->enqueued(sink->context, job, JOB_MAIN);
  else if (previous_main) previous_main(job, original);
  else original(job);
}

static SWIFT void on_delayed(unsigned long long delay, void *job, enqueue_delayed original) {
  if (sink) sink->enqueued(sink->context, job, JOB_DELAYED);
  else if (previous_delayed) previous_delayed(delay, job, original);
  else original(delay, job);
}

static SWIFT void on_until(
    long long seconds, long long nanoseconds, long long tolerance, long long tolerance_nanoseconds, int clock, void *job,
    enqueue_until original) {
  if (sink) sink->enqueued(sink->context, job, JOB_DELAYED);
  else if (previous_until) previous_until(seconds, nanoseconds, tolerance, tolerance_nanoseconds, clock, job, original);
  else original(seconds, nanoseconds, tolerance, tolerance_nanoseconds, clock, job);
}

static bool is_installed;

static void install(void) {
  if (!&swift_task_enqueueGlobal_hook || !&swift_task_getJobTaskId || !&swift_job_run) return;
  previous_global = swift_task_enqueueGlobal_hook;
  swift_task_enqueueGlobal_hook = on_global;
  if (&swift_task_enqueueMainExecutor_hook) {
    previous_main = swift_task_enqueueMainExecutor_hook;
    swift_task_enqueueMainExecutor_hook = on_main;
  }
  if (&swift_task_enqueueGlobalWithDelay_hook) {
    previous_delayed = swift_task_enqueueGlobalWithDelay_hook;
    swift_task_enqueueGlobalWithDelay_hook = on_delayed;
  }
  if (&swift_task_enqueueGlobalWithDeadline_hook) {
    previous_until = swift_task_enqueueGlobalWithDeadline_hook;
    swift_task_enqueueGlobalWithDeadline_hook = on_until;
  }
  is_installed = true;
}

bool job_hooks_install(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  return is_installed;
}

void job_hooks_catch(const job_sink *new_sink) { sink = new_sink; }

const job_sink *job_hooks_sink(void) { return sink; }

uint64_t job_task_number(void *job) { return &swift_task_getJobTaskId ? swift_task_getJobTaskId(job) : 0; }

bool job_task_is_cancelled(void *job) { return job_task_number(job) != 0 && swift_task_isCancelled(job); }

size_t job_task_priority(void *job) {
  return &swift_task_currentPriority && job_task_number(job) != 0 ? swift_task_currentPriority(job) : 0;
}

void *job_current_task(void) { return &swift_task_getCurrent ? swift_task_getCurrent() : NULL; }

// The null executor stands for the runtime's global executor.
void job_run(void *job) { swift_job_run(job, 0, 0); }

uintptr_t job_thread(void) { return (uintptr_t)&sink; }
