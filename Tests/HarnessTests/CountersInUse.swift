import Foundation

@testable import Harness

/// There is one set of counters in the process: tests that look at it take turns.
let countersInUse = Counters.inUse
