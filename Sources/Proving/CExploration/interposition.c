// Replaces entries in each ELF object's table of imported functions (GOT), to intercept what the Swift runtime's hooks miss.
// The struct layouts are those of swift/ABI/Task.h; if they change, VerdictTests fails. Entries are replaced atomically, so
// other threads call either the runtime's function or our replacement, which calls the runtime's function.
#if defined(__linux__)
#define _GNU_SOURCE
#endif
#include "CExploration.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && defined(__LP64__)
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define SWIFT __attribute__((swiftcall))
#define ASYNC __attribute__((swiftasynccall))
#define CONTEXT __attribute__((swift_async_context))
#define ERROR __attribute__((swift_context))

typedef ASYNC void (*resumption)(void *CONTEXT);
typedef ASYNC void (*completion)(void *CONTEXT, void *ERROR);
typedef struct {
  void *task, *context;
} made_task;
typedef struct option {
  size_t kind;
  struct option *next;
  uintptr_t words[2];
} option;
enum { option_executor = 0, option_group = 1, option_preference = 5, option_owned_preference = 6, option_name = 7 };
enum { create_enqueues = 1 << 12, job_of_actor = 0xC1, job_of_async_let = 1 << 28 };

static SWIFT made_task (*original_create)(size_t, option *, const void *, void *, void *);
static ASYNC void (*original_switch)(void *CONTEXT, resumption, uintptr_t, uintptr_t);
static void (*original_async)(void *queue, void *job, void (*work)(void *));
static void (*original_block)(void *queue, void *block);
static int (*original_thread)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static void (*original_after)(uint64_t when, void *queue, void *context, void (*work)(void *));
static void (*original_timer)(void *source, uint64_t start, uint64_t interval, uint64_t leeway);
static SWIFT void (*original_initialize)(void *actor);
static SWIFT executor_ref (*current_executor)(void);
static SWIFT void (*enqueue_on)(void *task, uintptr_t, uintptr_t);
static void *(*retain)(void *);
static const char *(*label_of)(void *queue);
static const void *main_queue;

// MARK: The ends of tasks

// The runtime functions that complete tasks, two or three. Each task's first async context points to one; we replace it there.
enum { most_completions = 4 };
static _Atomic(completion) completions[most_completions];

static void note_end(void) {
  const job_sink *sink = job_hooks_sink();
  if (sink && sink->is_deep) sink->ended(sink->context, job_current_task());
}

#define COMPLETION(number)                                                  \
  static ASYNC void complete_##number(void *CONTEXT context, void *ERROR error) { \
    note_end();                                                             \
    completion original = completions[number];                              \
    return original(context, error);                               \
  }
COMPLETION(0)
COMPLETION(1)
COMPLETION(2)
COMPLETION(3)
static const completion ours[most_completions] = {complete_0, complete_1, complete_2, complete_3};

// Replaces the function that completes the task, the second word of `context`. Returns false if `completions` is full.
static bool watch_end(void *context) {
  completion *slot = (completion *)context + 1, original = *slot;
  for (int index = 0; index < most_completions; index++) {
    completion known = NULL;
    if (atomic_compare_exchange_strong(&completions[index], &known, original) || known == original) {
      *slot = ours[index];
      return true;
    }
  }
  return false;
}

// MARK: Tasks

static SWIFT made_task on_create(size_t flags, option *options, const void *type, void *entry, void *closure) {
  const job_sink *sink = job_hooks_sink();
  if (!sink || !sink->is_deep) return original_create(flags, options, type, entry, closure);
  bool prefers = false, is_child = false;
  const char *name = NULL;
  uintptr_t actor = 0;
  for (option *next = options; next; next = next->next) switch (next->kind & 0xFF) {
      case option_executor: actor = next->words[1] ? 0 : next->words[0]; break;
      case option_group: is_child = true; break;
      case option_preference:
      case option_owned_preference: prefers = prefers || next->words[0]; break;
      case option_name: name = (const char *)next->words[0]; break;
    }
  option preference = {option_preference, options, {sink->preference.identity, sink->preference.implementation}};
  bool is_held = actor && flags & create_enqueues;
  made_task made = original_create(
      is_held ? flags & ~(size_t)create_enqueues : flags, prefers ? options : &preference, type, entry, closure);
  if (watch_end(made.context)) sink->created(sink->context, made.task, name, is_child, is_held ? actor : 0);
  else if (is_held) job_start(made.task, actor);
  return made;
}

void job_start(void *task, uintptr_t actor) {
  retain(task);
  enqueue_on(task, actor, 0);
}

// MARK: Messages

// The tasks that wait for a busy actor, and the functions with which they continue. They are few, so a linear search suffices.
typedef struct {
  void *task;
  resumption next;
  uintptr_t actor;
} held_message;
static _Thread_local held_message *held;
static _Thread_local size_t held_count, held_room;

static ASYNC void go_on(void *CONTEXT context) {
  void *task = job_current_task();
  size_t index = held_count;
  while (index-- > 0 && held[index].task != task) {}
  held_message message = held[index];
  held[index] = held[--held_count];
  return original_switch(context, message.next, message.actor, 0);
}

static ASYNC void on_switch(void *CONTEXT context, resumption next, uintptr_t identity, uintptr_t implementation) {
  const job_sink *sink = job_hooks_sink();
  if (!sink || !sink->is_deep) return original_switch(context, next, identity, implementation);
  void *task = job_current_task();
  bool stays = identity && current_executor().identity == identity;
  if (stays || !sink->switching(sink->context, task, implementation ? 0 : identity))
    return original_switch(context, next, identity, implementation);
  if (held_count == held_room) {
    held_room = held_room ? held_room * 2 : 16;
    held = realloc(held, held_room * sizeof *held);
    if (!held) abort();
  }
  held[held_count++] = (held_message){task, next, identity};
  return original_switch(context, go_on, sink->holder.identity, sink->holder.implementation);
}

static SWIFT void on_initialize(void *actor) {
  const job_sink *sink = job_hooks_sink();
  if (sink && sink->is_deep) sink->made_actor(sink->context, (uintptr_t)actor);
  original_initialize(actor);
}

// MARK: Dispatch

// In Swift 6.3, the runtime sends Task.yield and main-actor jobs to Dispatch without calling the executor hooks.
static void on_async(void *queue, void *job, void (*work)(void *)) {
  const job_sink *sink = job_hooks_sink();
  if (!sink || !sink->is_deep) return original_async(queue, job, work);
  if (queue == main_queue) return sink->enqueued(sink->context, job, JOB_MAIN);
  if (!strcmp(label_of(queue), "Swift global concurrent queue")) return sink->enqueued(sink->context, job, JOB_GLOBAL);
  original_async(queue, job, work);
}

// Reports that code starts work on another thread, which may resume a task at any time.
static void note_outside(enum job_origin origin) {
  const job_sink *sink = job_hooks_sink();
  if (sink && sink->is_deep) sink->enqueued(sink->context, NULL, origin);
}

static void on_block(void *queue, void *block) {
  note_outside(JOB_OUTSIDE);
  original_block(queue, block);
}

static int on_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  note_outside(JOB_OUTSIDE);
  return original_thread(thread, attributes, body, argument);
}

// Replaces dispatch_after_f, through which Task.sleep waits.
static void on_after(uint64_t when, void *queue, void *context, void (*work)(void *)) {
  note_outside(JOB_DELAYED);
  original_after(when, queue, context, work);
}

static void on_timer(void *source, uint64_t start, uint64_t interval, uint64_t leeway) {
  note_outside(JOB_DELAYED);
  original_timer(source, start, interval, leeway);
}

// MARK: Tables

typedef struct {
  const char *symbol;
  void *replacement;
  // The library in which the function is replaced. NULL means all loaded objects.
  const char *library;
} entry;
static const entry entries[] = {
    {"swift_task_create", (void *)on_create, NULL},
    {"swift_task_switch", (void *)on_switch, NULL},
    {"swift_defaultActor_initialize", (void *)on_initialize, NULL},
    {"dispatch_async_f", (void *)on_async, "libswift_Concurrency"},
    {"dispatch_async", (void *)on_block, NULL},
    {"pthread_create", (void *)on_thread, NULL},
    {"dispatch_after_f", (void *)on_after, "libswift_Concurrency"},
    {"dispatch_source_set_timer", (void *)on_timer, "libswift_Concurrency"},
};

#if defined(__x86_64__)
enum { slot_type = R_X86_64_JUMP_SLOT, data_type = R_X86_64_GLOB_DAT };
#else
enum { slot_type = R_AARCH64_JUMP_SLOT, data_type = R_AARCH64_GLOB_DAT };
#endif

// Makes the table's page writable and leaves it so, because the loader may have made it read-only.
static void replace(const struct dl_phdr_info *object, const ElfW(Rela) * relocation, const ElfW(Sym) * symbols, const char *names) {
  unsigned type = ELF64_R_TYPE(relocation->r_info);
  if (type != slot_type && type != data_type) return;
  const char *name = names + symbols[ELF64_R_SYM(relocation->r_info)].st_name;
  for (size_t index = 0; index < sizeof entries / sizeof *entries; index++) {
    const entry *wanted = &entries[index];
    if (strcmp(name, wanted->symbol)) continue;
    if (wanted->library && !strstr(object->dlpi_name, wanted->library)) continue;
    _Atomic(void *) *slot = (_Atomic(void *) *)(object->dlpi_addr + relocation->r_offset);
    uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), page = (uintptr_t)slot & ~(size - 1);
    if (atomic_load(slot) == wanted->replacement) continue;
    if (mprotect((void *)page, size, PROT_READ | PROT_WRITE) == 0) atomic_store(slot, wanted->replacement);
  }
}

static int visit(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  (void)context;
  const ElfW(Dyn) *dynamic = NULL;
  for (int index = 0; index < object->dlpi_phnum; index++)
    if (object->dlpi_phdr[index].p_type == PT_DYNAMIC)
      dynamic = (const void *)(object->dlpi_addr + object->dlpi_phdr[index].p_vaddr);
  const ElfW(Rela) *tables[2] = {NULL, NULL};
  size_t sizes[2] = {0, 0};
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
    // Addresses are relative to the object unless the loader has relocated them.
    uintptr_t address = dynamic->d_un.d_ptr < object->dlpi_addr ? object->dlpi_addr + dynamic->d_un.d_ptr : dynamic->d_un.d_ptr;
    switch (dynamic->d_tag) {
      case DT_JMPREL: tables[0] = (const void *)address; break;
      case DT_PLTRELSZ: sizes[0] = dynamic->d_un.d_val; break;
      case DT_RELA: tables[1] = (const void *)address; break;
      case DT_RELASZ: sizes[1] = dynamic->d_un.d_val; break;
      case DT_SYMTAB: symbols = (const void *)address; break;
      case DT_STRTAB: names = (const void *)address; break;
    }
  }
  if (!symbols || !names) return 0;
  for (int table = 0; table < 2; table++)
    for (size_t index = 0; tables[table] && index < sizes[table] / sizeof(ElfW(Rela)); index++)
      replace(object, &tables[table][index], symbols, names);
  return 0;
}

static bool is_complete;

static void find(void) {
  original_create = dlsym(RTLD_DEFAULT, "swift_task_create");
  original_switch = dlsym(RTLD_DEFAULT, "swift_task_switch");
  original_initialize = dlsym(RTLD_DEFAULT, "swift_defaultActor_initialize");
  original_async = dlsym(RTLD_DEFAULT, "dispatch_async_f");
  original_block = dlsym(RTLD_DEFAULT, "dispatch_async");
  original_thread = dlsym(RTLD_DEFAULT, "pthread_create");
  original_after = dlsym(RTLD_DEFAULT, "dispatch_after_f");
  original_timer = dlsym(RTLD_DEFAULT, "dispatch_source_set_timer");
  current_executor = dlsym(RTLD_DEFAULT, "swift_task_getCurrentExecutor");
  enqueue_on = dlsym(RTLD_DEFAULT, "swift_task_enqueueTaskOnExecutor");
  retain = dlsym(RTLD_DEFAULT, "swift_retain");
  label_of = dlsym(RTLD_DEFAULT, "dispatch_queue_get_label");
  main_queue = dlsym(RTLD_DEFAULT, "_dispatch_main_q");
  is_complete = original_create && original_switch && original_initialize && original_async && original_block && original_thread && original_after &&
                original_timer && current_executor && enqueue_on && retain && label_of && main_queue;
}

bool job_interpose(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_once(&once, find);
  if (!is_complete) return false;
  // Visits all loaded objects on every call, since more may have been loaded.
  pthread_mutex_lock(&lock);
  dl_iterate_phdr(visit, NULL);
  pthread_mutex_unlock(&lock);
  return true;
}

static uint32_t flags_of(const void *job) {
  uint32_t flags;
  memcpy(&flags, (const char *)job + 32, sizeof flags);
  return flags;
}

uintptr_t job_actor(void *job) {
  return (flags_of(job) & 0xFF) == job_of_actor ? *(uintptr_t *)((char *)job + 64) : 0;
}

bool job_watch_async_let(void *job) {
  return flags_of(job) & job_of_async_let && watch_end(*(void **)((char *)job + 64));
}

#else

bool job_interpose(void) { return false; }
void job_start(void *task, uintptr_t actor) {
  (void)task;
  (void)actor;
}
uintptr_t job_actor(void *job) {
  (void)job;
  return 0;
}
bool job_watch_async_let(void *job) {
  (void)job;
  return false;
}

#endif
