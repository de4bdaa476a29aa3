#pragma once
#include <stdbool.h>
#include <stdint.h>

// Where a job was to be enqueued that was caught.
enum job_origin { JOB_GLOBAL, JOB_DELAYED, JOB_MAIN };

typedef void (*job_sink)(void *context, void *job, enum job_origin origin);

// Sets the runtime's hooks for the whole process, once; false: this runtime has none. Threads that catch nothing enqueue as before.
bool job_hooks_install(void);

// What this thread enqueues on the global executors goes to `sink` from now on; NULL: where it went before.
void job_hooks_catch(job_sink sink, void *context);

// The number of the task that the job belongs to, unique in the process; 0: it is no task's, but an actor's.
uint64_t job_task_number(void *job);

// Runs a job that was caught, until it suspends or ends, on this thread.
void job_run(void *job);

// A number that no other living thread has.
uintptr_t job_thread(void);

// Sleeps that long by the real clock.
void job_sleep_millisecond(void);
