#include "CExploration.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <mach/mach.h>
#endif

// O_EXCL, so that the call writes neither to an existing file nor through a link.
char *journal_map(const char *path, size_t size, bool *is_file) {
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  *is_file = file >= 0 && ftruncate(file, (off_t)size) == 0;
  int flags = *is_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANON;
  void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, *is_file ? file : -1, 0);
  if (file >= 0) close(file);
  return bytes == MAP_FAILED ? NULL : bytes;
}

// Removes the journals of ended processes, except those whose last byte is 1: a signal ended their process.
void journal_sweep(const char *folder) {
  DIR *directory = opendir(folder);
  if (!directory) return;
  for (struct dirent *entry; (entry = readdir(directory));) {
    size_t length = strlen(entry->d_name);
    if (length < 8 || strcmp(entry->d_name + length - 8, ".running")) continue;
    // File names have the form NAME.PROCESS.NUMBER.running.
    const char *dot = entry->d_name + length - 8;
    for (int dots = 0; dot > entry->d_name && dots < 2;) if (*--dot == '.') dots++;
    long process = strtol(dot + 1, NULL, 10);
    if (process <= 0 || kill((pid_t)process, 0) == 0 || errno != ESRCH) continue;
    char path[4096], last = 1;
    if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path) continue;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) continue;
    bool is_left = lseek(file, -1, SEEK_END) >= 0 && read(file, &last, 1) == 1 && last == 0;
    close(file);
    if (is_left) unlink(path);
  }
  closedir(directory);
}

void journal_unmap(char *bytes, size_t size) { munmap(bytes, size); }

bool journal_write(const char *path, const char *text) {
  char other[4096];
  if (snprintf(other, sizeof other, "%s.%d", path, (int)getpid()) >= (int)sizeof other) return false;
  unlink(other);
  int file = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  size_t length = strlen(text), done = 0;
  while (done < length) {
    ssize_t count = write(file, text + done, length - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += (size_t)count;
  }
  bool is_written = close(file) == 0 && done == length && rename(other, path) == 0;
  if (!is_written) unlink(other);
  return is_written;
}

long journal_read(const char *path, char *bytes, size_t size) {
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return -1;
  size_t done = 0;
  while (done < size) {
    ssize_t count = read(file, bytes + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) done = 0;
    if (count <= 0) break;
    done += (size_t)count;
  }
  close(file);
  return (long)done;
}

static _Thread_local const char *note;
static _Thread_local char *mark;

static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE};
enum { signal_count = sizeof signals / sizeof *signals };
static struct sigaction previous[signal_count];

// Writes the crash note to stderr and restores the previous signal handler, which receives the signal when the crash repeats.
static void on_crash(int number) {
  const char *text = note;
  if (text && mark) *mark = 1;
  if (text && write(STDERR_FILENO, text, strlen(text)) < 0) note = NULL;
  for (int index = 0; index < signal_count; index++)
    if (signals[index] == number) sigaction(number, &previous[index], NULL);
  if (number == SIGABRT || number == SIGTRAP) raise(number);
}

static void install(void) {
  struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_NODEFER};
  for (int index = 0; index < signal_count; index++) sigaction(signals[index], &action, &previous[index]);
}

void crash_note(const char *text, char *new_mark) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (text) pthread_once(&once, install);
  note = text;
  mark = new_mark;
}

#if defined(__APPLE__)
int64_t thread_clock(void) { return pthread_mach_thread_np(pthread_self()); }

uint64_t thread_clock_nanoseconds(int64_t clock) {
  thread_basic_info_data_t info;
  mach_msg_type_number_t count = THREAD_BASIC_INFO_COUNT;
  if (thread_info((thread_act_t)clock, THREAD_BASIC_INFO, (thread_info_t)&info, &count) != KERN_SUCCESS) return 0;
  uint64_t seconds = (uint64_t)info.user_time.seconds + (uint64_t)info.system_time.seconds;
  return seconds * 1000000000 + 1000 * ((uint64_t)info.user_time.microseconds + (uint64_t)info.system_time.microseconds);
}
#else
int64_t thread_clock(void) {
  clockid_t clock;
  return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? clock : -1;
}

uint64_t thread_clock_nanoseconds(int64_t clock) {
  struct timespec time;
  if (clock == -1 || clock_gettime((clockid_t)clock, &time) != 0) return 0;
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}
#endif
