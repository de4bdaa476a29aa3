#pragma once

// What a contender can do to its process and to others, and must not.

// Writes text into every open pipe above standard error.
void cheat_write_pipes(const char *text);
// Signals every sibling process of this executable.
void cheat_signal_siblings(int signal);
// Each of these returns 0 if permitted.
int cheat_take_fifo(void);
int cheat_take_batch(void);
int cheat_be_nice(int nice);
int cheat_pin(void);
// Starts a busy process that ends after a minute; `away`: in a new session, with another parent.
int cheat_fork(int away);
// Aborts when the process calls exit.
void cheat_abort_at_exit(void);
