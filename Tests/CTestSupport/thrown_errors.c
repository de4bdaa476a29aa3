// Swift Testing keeps a backtrace of every thrown error in a table under a lock. Tests throw some 200,000, from several
// threads: that took 88 of 310 s of CPU time. Console reports do not show these backtraces; set the variable to 1 for tools
// that do, such as Xcode.

#include "CTestSupport.h"

#include <stdlib.h>

// Before main(): Swift Testing reads it when the first error may be thrown.
__attribute__((constructor)) static void record_no_thrown_errors(void) {
  const int overwrites = 0;
  setenv("SWT_SWIFT_ERROR_BACKTRACING_ENABLED", "0", overwrites);
}
