/// Where the scheduler puts a process, by the tools that every Linux has for it.
package enum Placement: Sendable, Hashable {
  case anywhere
  /// Both sides of a pair on one and the same processor, in turns that are not cut short to be fair: what they cost
  /// repeats best so.
  case oneProcessor(Int)
  /// Before everything that has no real-time priority, at the lowest there is: what they take on the clock repeats best
  /// so. It takes a privilege.
  case realTime
  /// Both at once: one thread at a time, and each until it waits, so that the same happens every time. It takes the same
  /// privilege.
  case inTurn(Int)

  /// What stands before the command that is to be placed.
  var prefix: [String] {
    switch self {
    case .anywhere: []
    case .oneProcessor(let number): ["taskset", "--cpu-list", "\(number)", "chrt", "--batch", "0"]
    case .realTime: ["chrt", "--fifo", "1"]
    case .inTurn(let number): ["taskset", "--cpu-list", "\(number)", "chrt", "--fifo", "1"]
    }
  }

  /// Whether this machine has the tools and permits it; found out by trying.
  package var isPermitted: Bool {
    guard let tool = prefix.first else { return true }
    return Permissions.succeeds(tool, prefix.dropFirst() + ["true"])
  }

  /// The last of the processors that this process may use: on most machines interrupts go to the first. nil where the
  /// platform does not say.
  package static var lastProcessor: Int? { ProcessorList.allowed(.here)?.last }
}
