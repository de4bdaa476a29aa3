#pragma once

// What a contender may do to its process and to others, and should not.

// Writes text into every pipe that is open for writing, above standard error.
void cheat_write_pipes(const char *text);
// Sends a signal to every other process of this executable that has this one's parent.
void cheat_signal_siblings(int signal);
// Each of these returns 0 if it was permitted.
int cheat_take_fifo(void);
int cheat_take_batch(void);
int cheat_be_nice(int nice);
int cheat_pin(void);
// A busy process, which ends by itself after a minute; `away`: in its own session and with another parent.
int cheat_fork(int away);
// Calls abort when the process exits by exit.
void cheat_abort_at_exit(void);
