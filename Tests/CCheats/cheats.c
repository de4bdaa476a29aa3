#define _GNU_SOURCE
#include "CCheats.h"

#ifdef __linux__
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

void cheat_write_pipes(const char *text) {
    for (int descriptor = 3; descriptor < 64; descriptor++) {
        struct stat status;
        if (fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode) && write(descriptor, text, strlen(text)) < 0) continue;
    }
}

static int runs_the_same(int process) {
    char path[64], other[4096] = "", own[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/exe", process);
    return readlink(path, other, sizeof other - 1) > 0 && readlink("/proc/self/exe", own, sizeof own - 1) > 0 && strcmp(other, own) == 0;
}

void cheat_signal_siblings(int signal) {
    DIR *folder = opendir("/proc");
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        int process = atoi(entry->d_name), parent = 0;
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/stat", process);
        FILE *file = process > 0 ? fopen(path, "r") : NULL;
        if (!file) continue;
        if (fscanf(file, "%*d (%*[^)]) %*c %d", &parent) == 1 && parent == getppid() && process != getpid() && runs_the_same(process)) kill(process, signal);
        fclose(file);
    }
    closedir(folder);
}

int cheat_take_fifo(void) {
    struct sched_param parameter = {.sched_priority = 1};
    return sched_setscheduler(0, SCHED_FIFO, &parameter);
}

int cheat_take_batch(void) {
    struct sched_param parameter = {0};
    return sched_setscheduler(0, SCHED_BATCH, &parameter);
}

int cheat_be_nice(int nice) { return setpriority(PRIO_PROCESS, 0, nice); }

int cheat_pin(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    return sched_setaffinity(0, sizeof set, &set);
}

static void be_busy(void) {
    alarm(60);
    for (;;) sched_yield();
}

int cheat_fork(int away) {
    pid_t child = fork();
    if (child < 0) return -1;
    if (child > 0) return 0;
    if (away) {
        setsid();
        if (fork() > 0) _exit(0);
    }
    be_busy();
    return 0;
}

static void stop_short(void) { abort(); }
void cheat_abort_at_exit(void) { atexit(stop_short); }
#else
void cheat_write_pipes(const char *text) { (void)text; }
void cheat_signal_siblings(int signal) { (void)signal; }
int cheat_take_fifo(void) { return -1; }
int cheat_take_batch(void) { return -1; }
int cheat_be_nice(int nice) { (void)nice; return -1; }
int cheat_pin(void) { return -1; }
int cheat_fork(int away) { (void)away; return -1; }
void cheat_abort_at_exit(void) {}
#endif
