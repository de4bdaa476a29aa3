#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Where a job was to be enqueued that was caught.
enum job_origin { JOB_GLOBAL, JOB_DELAYED, JOB_MAIN, JOB_OUTSIDE };

// What the runtime refers to an executor by: an object, and how it is used. A default actor has no implementation.
typedef struct {
  uintptr_t identity, implementation;
} executor_ref;

// What a thread catches of the runtime. All calls come on that thread. Kept, not copied.
typedef struct {
  void *context;
  // A job was to be enqueued on an executor of the process; NULL: it waits for the real clock, or other work was given to Dispatch or a
  // thread, and is not caught.
  void (*enqueued)(void *context, void *job, enum job_origin origin);
  // Only if `is_deep`, and where `job_interpose` succeeds:
  bool is_deep;
  // What tasks prefer that are made here, unless they have a preference.
  executor_ref preference;
  // The serial executor that holds messages.
  executor_ref holder;
  // A task was made, with a name or NULL. With an actor, it begins there, once `job_start` is called.
  void (*created)(void *context, void *task, const char *name, bool is_child, uintptr_t actor);
  // A task that was made here has ended.
  void (*ended)(void *context, void *task);
  // A task goes to a default actor; true: its message is held, and goes on there when the holder has run its job. 0: it goes elsewhere.
  bool (*switching)(void *context, void *task, uintptr_t actor);
  // A default actor was made.
  void (*made_actor)(void *context, uintptr_t actor);
} job_sink;

// Sets the runtime's hooks for the whole process, once; false: this runtime has none. Threads that catch nothing enqueue as before.
bool job_hooks_install(void);

// Puts functions of ours in front of those of the runtime that make tasks, switch executors and go to Dispatch, in all objects that
// are loaded; false: this platform cannot. Threads that catch nothing go through to the runtime's.
bool job_interpose(void);

// What this thread does goes to `sink` from now on; NULL: where it went before.
void job_hooks_catch(const job_sink *sink);

// What this thread catches with; NULL: nothing.
const job_sink *job_hooks_sink(void);

// Makes `ended` come for the child task of an `async let`, before its first step; false: the job is none.
bool job_watch_async_let(void *job);

// Lets a task begin that `created` was called for with an actor.
void job_start(void *task, uintptr_t actor);

// The actor whose messages this job handles; 0: it is a task's job.
uintptr_t job_actor(void *job);

// The task that runs on this thread, and its name.
void *job_current_task(void);
const char *job_current_name(void);

// The number of the task that the job belongs to, unique in the process; 0: it is no task's, but an actor's.
uint64_t job_task_number(void *job);

// Whether that task is cancelled.
bool job_task_is_cancelled(void *job);

// How urgent the task is that the job belongs to.
size_t job_task_priority(void *job);

// Runs a job that was caught, until it suspends or ends, on this thread.
void job_run(void *job);

// A number that no other living thread has.
uintptr_t job_thread(void);

// Zeros that outlive the process: a new file of this size, mapped. Where none can be made, memory alone, with `*is_file` false.
char *journal_map(const char *path, size_t size, bool *is_file);
void journal_unmap(char *bytes, size_t size);

// Removes those of processes that ended otherwise than by a signal that `crash_note` sees.
void journal_sweep(const char *folder);

// Puts a file with this text in place of what is there; false: it could not.
bool journal_write(const char *path, const char *text);

// The first bytes of a file, how many; -1: it cannot be opened.
long journal_read(const char *path, char *bytes, size_t size);

// What this thread writes to stderr if a signal ends the process while it runs, and a byte that is set then; NULL: nothing. Kept, not
// copied.
void crash_note(const char *text, char *mark);

// The processor time of the calling thread, for others to read as long as it lives.
int64_t thread_clock(void);
uint64_t thread_clock_nanoseconds(int64_t clock);
