#define _GNU_SOURCE
#include "CMachineProbes.h"

#ifdef __linux__
#include <errno.h>
#include <sched.h>
#include <sys/resource.h>

bool machine_read_scheduling(int thread, struct machine_scheduling *scheduling) {
    *scheduling = (struct machine_scheduling){0};
    int policy = sched_getscheduler(thread);
    if (policy < 0) return false;
    scheduling->policy = policy & ~0x40000000;
    errno = 0;
    scheduling->nice = getpriority(PRIO_PROCESS, (id_t)thread);
    if (errno != 0) return false;
    return sched_getaffinity(thread, sizeof scheduling->processors, (cpu_set_t *)scheduling->processors) == 0;
}
#else
bool machine_read_scheduling(int thread, struct machine_scheduling *scheduling) {
    (void)thread;
    *scheduling = (struct machine_scheduling){0};
    return false;
}
#endif
