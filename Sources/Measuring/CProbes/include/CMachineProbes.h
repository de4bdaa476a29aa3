#pragma once
#include <stdbool.h>
#include <stdint.h>

// The number of threads, at most `wanted`, that can exist at the same time. Starts threads to find out, since limits vary.
int machine_startable_threads(int wanted);

// Sets the calling thread's timer slack, so that timed sleeps end without delay. Returns false if that is impossible.
bool machine_wakes_promptly(void);

// Returns freed memory from the allocator to the system, if the allocator can do that.
void machine_give_back_free_memory(void);

// A thread's scheduling class, priority and allowed processors.
struct machine_scheduling {
    // The policy, without the flags that affect the thread's children.
    int policy;
    int nice;
    // One bit for each processor on which the thread may run.
    uint64_t processors[16];
};

// Reads the scheduling of a thread; 0 means the calling one. Returns false if there is no such thread, or no support.
bool machine_read_scheduling(int thread, struct machine_scheduling *scheduling);

// Does nothing. An optimiser that sees only this declaration must assume that the function reads the memory.
void machine_look_at(const void *address);
