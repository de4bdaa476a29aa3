import Foundation

/// There is one set of counters in a process, so tests that use it take turns.
let countersInUse = NSLock()
