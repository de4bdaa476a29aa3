#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Where a job was to be enqueued that was caught.
enum job_origin { JOB_GLOBAL, JOB_DELAYED, JOB_MAIN };

typedef void (*job_sink)(void *context, void *job, enum job_origin origin);

// Sets the runtime's hooks for the whole process, once; false: this runtime has none. Threads that catch nothing enqueue as before.
bool job_hooks_install(void);

// What this thread enqueues on the global executors goes to `sink` from now on; NULL: where it went before.
void job_hooks_catch(job_sink sink, void *context);

// The number of the task that the job belongs to, unique in the process; 0: it is no task's, but an actor's.
uint64_t job_task_number(void *job);

// Whether that task has been told to stop.
bool job_task_is_cancelled(void *job);

// Runs a job that was caught, until it suspends or ends, on this thread.
void job_run(void *job);

// A number that no other living thread has.
uintptr_t job_thread(void);

// Zeros that outlive the process: a new file of this size, mapped. Where none can be made, memory alone, with `*is_file` false.
char *journal_map(const char *path, size_t size, bool *is_file);
void journal_unmap(char *bytes, size_t size);

// Puts a file with this text in place of what is there; false: it could not.
bool journal_write(const char *path, const char *text);

// The first bytes of a file, how many; -1: it cannot be opened.
long journal_read(const char *path, char *bytes, size_t size);

// What this thread writes to stderr if a signal ends the process while it runs; NULL: nothing. Kept, not copied.
void crash_note(const char *text);

// The processor time of the calling thread, for others to read as long as it lives.
int64_t thread_clock(void);
uint64_t thread_clock_nanoseconds(int64_t clock);
