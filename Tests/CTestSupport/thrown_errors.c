// Swift Testing takes a backtrace of every error that is thrown while tests run, and keeps it in a table, under a lock, in case
// the error turns out to be what a test failed with. Tests of failure and cancellation throw some 200,000, many at once and from
// several threads: that took 88 of the 310 seconds of processor time of all tests, and made threads wait for each other that
// otherwise would not.
//
// Its reports on the console do not show these backtraces. Whoever wants them (Xcode does) sets the variable to 1.

#include "CTestSupport.h"

#include <stdlib.h>

/// Before main(): Swift Testing reads it when the first error may be thrown.
__attribute__((constructor)) static void record_no_thrown_errors(void) {
  const int replaces_what_the_user_says = 0;
  setenv("SWT_SWIFT_ERROR_BACKTRACING_ENABLED", "0", replaces_what_the_user_says);
}
