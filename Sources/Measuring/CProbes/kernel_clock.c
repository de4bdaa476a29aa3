#include "CMachineProbes.h"

#include <time.h>

uint64_t machine_clock_nanoseconds(void) {
    struct timespec now = {0, 0};
#if defined(__linux__) && defined(__x86_64__)
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(228L), "D"((long)CLOCK_MONOTONIC), "S"(&now) : "rcx", "r11", "memory");
#elif defined(__linux__) && defined(__aarch64__)
    register long number __asm__("x8") = 113;
    register long clock __asm__("x0") = CLOCK_MONOTONIC;
    register struct timespec *time __asm__("x1") = &now;
    __asm__ volatile("svc 0" : "+r"(clock) : "r"(number), "r"(time) : "memory");
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
