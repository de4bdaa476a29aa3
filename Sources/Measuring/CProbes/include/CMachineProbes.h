#pragma once
#include <stdbool.h>
#include <stdint.h>

// How many threads, `wanted` at most, can be started at once: tries it, since processes, users, groups and machines have limits.
int machine_startable_threads(int wanted);

// Makes the kernel wake the calling thread from timed sleeps without delay (timer slack), for the thread's life; false if it
// cannot.
bool machine_wakes_promptly(void);

// Returns freed memory that the allocator keeps to the system, if the allocator can.
void machine_give_back_free_memory(void);

// How the scheduler treats a thread.
struct machine_scheduling {
    // Without the flags for the thread's children.
    int policy;
    int nice;
    // A bit for each processor that it may run on.
    uint64_t processors[16];
};

// Reads it of a thread, 0 for the calling one; false if there is no such thread, or if the platform cannot.
bool machine_read_scheduling(int thread, struct machine_scheduling *scheduling);

// Does nothing; an optimiser that sees only the declaration must assume that it reads the memory.
void machine_look_at(const void *address);
