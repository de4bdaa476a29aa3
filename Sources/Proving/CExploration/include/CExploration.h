#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The executor for which a job was meant: global, global after a delay, main, or one outside of the Swift runtime.
enum job_origin { JOB_GLOBAL, JOB_DELAYED, JOB_MAIN, JOB_OUTSIDE };

// The Swift runtime's reference to an executor: an object and its witness table, which is 0 for a default actor.
typedef struct {
  uintptr_t identity, implementation;
} executor_ref;

// Callbacks for events of the Swift runtime on one thread. All are called on that thread.
typedef struct {
  void *context;
  // A job was about to be enqueued on an executor of the process. If `job` is NULL, a task waits for the real clock, or code
  // starts work on a Dispatch queue or thread; that work continues.
  void (*enqueued)(void *context, void *job, enum job_origin origin);
  // Whether the callbacks below are called, too. Set it only after `job_interpose` has succeeded.
  bool is_deep;
  // The preferred executor of tasks that this thread creates, unless they have their own.
  executor_ref preference;
  executor_ref holder;
  // A task was created. `name` may be NULL. If `actor` is not 0, the task starts in that actor when `job_start` is called.
  void (*created)(void *context, void *task, const char *name, bool is_child, uintptr_t actor);
  void (*ended)(void *context, void *task);
  // A task is about to switch to the default actor `actor`; 0 means another executor. If the callback returns true, the task
  // instead waits until `holder` runs its job.
  bool (*switching)(void *context, void *task, uintptr_t actor);
  void (*made_actor)(void *context, uintptr_t actor);
} job_sink;

// Sets the Swift runtime's hooks for the process once. Returns false if it has none.
bool job_hooks_install(void);

// Intercepts task creation, executor switches and Dispatch calls in all loaded objects. Returns false on other platforms.
bool job_interpose(void);

// Sets the calling thread's callbacks. NULL removes them. The pointer is kept, not copied.
void job_hooks_catch(const job_sink *sink);

const job_sink *job_hooks_sink(void);

// Makes the sink's `ended` be called for an `async let` task. Call it before the task runs. Returns false for other jobs.
bool job_watch_async_let(void *job);

// Starts a task that the sink's `created` received with an actor.
void job_start(void *task, uintptr_t actor);

// The actor whose messages this job handles. 0 if the job belongs to a task.
uintptr_t job_actor(void *job);

// The running task. NULL outside of a task.
void *job_current_task(void);

// The number of the task to which the job belongs, unique in the process. 0 if the job belongs to an actor.
uint64_t job_task_number(void *job);

bool job_task_is_cancelled(void *job);
size_t job_task_priority(void *job);

void job_run(void *job);

// A number that no other living thread has.
uintptr_t job_thread(void);

// Maps a new file of zeros, which outlives the process. If that fails, maps memory and sets `*is_file` to false.
char *journal_map(const char *path, size_t size, bool *is_file);
void journal_unmap(char *bytes, size_t size);

// Removes the files of processes that no longer run, except those that `crash_note` marked after a crash.
void journal_sweep(const char *folder);

// Replaces a file atomically. Returns false on failure.
bool journal_write(const char *path, const char *text);

// Reads the first bytes of a file and returns their count, or -1 if the file cannot be opened.
long journal_read(const char *path, char *bytes, size_t size);

// If a signal then ends the process on the calling thread, the text goes to stderr and `*mark` becomes 1. NULL removes the
// note. Both pointers are kept, not copied.
void crash_note(const char *text, char *mark);

// The calling thread's CPU clock. Other threads may read it while the calling thread lives.
int64_t thread_clock(void);
uint64_t thread_clock_nanoseconds(int64_t clock);
