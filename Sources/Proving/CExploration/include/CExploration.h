#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Where a caught job would have been enqueued.
enum job_origin { JOB_GLOBAL, JOB_DELAYED, JOB_MAIN, JOB_OUTSIDE };

// The runtime's reference to an executor: an object and its witness table. A default actor has no implementation.
typedef struct {
  uintptr_t identity, implementation;
} executor_ref;

// A thread's callbacks, all called on that thread. Kept, not copied.
typedef struct {
  void *context;
  // A job was to be enqueued on an executor of the process; NULL: something waits for the real clock, or work went to Dispatch
  // or a thread, which is not caught.
  void (*enqueued)(void *context, void *job, enum job_origin origin);
  // Only if `is_deep`, and where `job_interpose` succeeds:
  bool is_deep;
  // The executor preference of tasks created here, unless they have their own.
  executor_ref preference;
  executor_ref holder;
  // A task was created; the name may be NULL. With an actor, it starts there at `job_start`.
  void (*created)(void *context, void *task, const char *name, bool is_child, uintptr_t actor);
  void (*ended)(void *context, void *task);
  // A task switches to a default actor; true: its message is held and continues when the holder runs its job. Actor 0: it goes
  // elsewhere.
  bool (*switching)(void *context, void *task, uintptr_t actor);
  void (*made_actor)(void *context, uintptr_t actor);
} job_sink;

// Sets the runtime's hooks for the process, once; false: this runtime has none.
bool job_hooks_install(void);

// Puts functions in front of the runtime's in all loaded objects: task creation, executor switches, Dispatch; false:
// unsupported platform.
bool job_interpose(void);

// Sets this thread's sink; NULL: none.
void job_hooks_catch(const job_sink *sink);

const job_sink *job_hooks_sink(void);

// Makes `ended` come for an `async let` task, before its first step; false: the job is none.
bool job_watch_async_let(void *job);

// Starts a task that `created` reported with an actor.
void job_start(void *task, uintptr_t actor);

// The actor whose messages this job handles; 0: a task's job.
uintptr_t job_actor(void *job);

// The current task and its name; NULL: none.
void *job_current_task(void);
const char *job_current_name(void);

// The number of the job's task, unique in the process; 0: an actor's job.
uint64_t job_task_number(void *job);

bool job_task_is_cancelled(void *job);
size_t job_task_priority(void *job);

void job_run(void *job);

// A number unique among living threads.
uintptr_t job_thread(void);

// Maps a new file of zeros, which outlives the process. Without a file, memory alone, and `*is_file` is false.
char *journal_map(const char *path, size_t size, bool *is_file);
void journal_unmap(char *bytes, size_t size);

// Removes the files of dead processes, except those that `crash_note` has marked.
void journal_sweep(const char *folder);

// Replaces a file atomically; false: failed.
bool journal_write(const char *path, const char *text);

// Reads the first bytes of a file and returns their count; -1: it cannot be opened.
long journal_read(const char *path, char *bytes, size_t size);

// If a signal ends the process while this thread runs, it writes the text to stderr and sets the byte; NULL: nothing. Kept, not
// copied.
void crash_note(const char *text, char *mark);

// The calling thread's CPU clock, readable by other threads while it lives.
int64_t thread_clock(void);
uint64_t thread_clock_nanoseconds(int64_t clock);
