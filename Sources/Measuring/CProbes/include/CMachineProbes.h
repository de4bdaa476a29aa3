#pragma once
#include <stdbool.h>
#include <stdint.h>

// How many of so many threads can be started at once: limits are set on processes, users, groups and the machine.
int machine_startable_threads(int wanted);

// Asks the kernel to wake the calling thread from timed sleeps at once instead of together with others (timer slack);
// false where it cannot be asked. This one lasts for the thread's life.
bool machine_wakes_promptly(void);

// Gives what was freed and the allocator keeps back to the system, so that what is resident is in use. Without effect
// where the allocator cannot be told to.
void machine_give_back_free_memory(void);

// How the scheduler treats a thread; 0 is the calling one.
struct machine_scheduling {
    // Without what only says what becomes of the thread's children.
    int policy;
    int nice;
    // A bit for each that it may run on.
    uint64_t processors[16];
};

// False if there is no such thread, and where the system does not say.
bool machine_read_scheduling(int thread, struct machine_scheduling *scheduling);

// Does nothing, which no compiler knows that sees only this: what lies there has to be there.
void machine_look_at(const void *address);
