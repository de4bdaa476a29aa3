import CAllocationCounter

/// Counts what the process allocates, over all threads; counting disturbs time, so it has passes of its own.
///
/// There is one allocator and so one counter: one thread at a time may use it.
enum AllocationCounter {
  /// What was allocated while counting was on, since the last reset; nil where it cannot be counted.
  static var count: (allocations: Int, bytes: Int)? {
    guard allocation_counter_is_available() else { return nil }
    return (Int(allocation_counter_count()), Int(allocation_counter_bytes()))
  }

  static func reset() { allocation_counter_reset() }

  static func setCounting(_ isOn: Bool) { allocation_counter_set_counting(isOn) }
}
