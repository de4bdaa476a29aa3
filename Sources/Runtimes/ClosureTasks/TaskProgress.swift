import Synchronization

/// Where a run reports its progress: a stretch of a scale from 0 to 1, that of a whole run or of a group's part.
///
/// Stretches of stretches are not nested, so a report costs the same however tasks are composed.
@usableFromInline
final class TaskProgress: Sendable {
  private let handler: @Sendable (Double) -> Void
  private let start: Double
  private let length: Double
  /// The whole run's; nil for a part of a group.
  private let reporter: ProgressReporter?

  private init(
    _ handler: @escaping @Sendable (Double) -> Void, reporter: ProgressReporter?, start: Double = 0,
    length: Double = 1
  ) {
    self.handler = handler
    self.reporter = reporter
    self.start = start
    self.length = length
  }

  /// The whole scale of a run, whose reports a handler takes.
  @usableFromInline
  static func whole(_ handler: @escaping @Sendable (Double) -> Void) -> TaskProgress {
    let reporter = ProgressReporter(handler)
    return TaskProgress(reporter.report, reporter: reporter)
  }

  /// The scale of a part of a group.
  fileprivate static func part(_ handler: @escaping @Sendable (Double) -> Void) -> TaskProgress {
    TaskProgress(handler, reporter: nil)
  }

  /// Reports a fraction of this stretch; what is outside of it counts as its nearest end, and what is no number as nothing.
  func report(_ fraction: Double) {
    if !fraction.isNaN { handler(start + length * min(max(fraction, 0), 1)) }
  }

  /// Ends the whole run's reports, with this one if there is one, and then does something. Called once.
  func end(with last: Double?, then action: @escaping @Sendable () -> Void) {
    if let reporter { reporter.end(with: last, then: action) } else { action() }
  }

  @usableFromInline var firstHalf: TaskProgress {
    TaskProgress(handler, reporter: reporter, start: start, length: length / 2)
  }

  @usableFromInline var secondHalf: TaskProgress {
    TaskProgress(handler, reporter: reporter, start: start + length / 2, length: length / 2)
  }
}

/// Calls a handler with one report at a time, and with none after the end.
///
/// What comes while the handler runs is left to the thread that runs it: the latest report, and what is to be done at the
/// end. So a completion never overtakes a report, and no thread waits. The lock is never held while anything is called.
private final class ProgressReporter: Sendable {
  private struct State {
    var isReporting = false
    var isOver = false
    var waiting: Double?
    var last = Double.nan
    var end: (@Sendable () -> Void)?

    /// What is to be reported next: the same value twice in a row is reported once.
    mutating func takeReport() -> Double? {
      guard let next = waiting.take(), next != last else { return nil }
      last = next
      return next
    }
  }

  private let state = Mutex(State())
  private let handler: @Sendable (Double) -> Void

  init(_ handler: @escaping @Sendable (Double) -> Void) { self.handler = handler }

  func report(_ fraction: Double) {
    enter { if !$0.isOver { $0.waiting = fraction } }
  }

  func end(with last: Double?, then action: @escaping @Sendable () -> Void) {
    enter {
      $0.isOver = true
      $0.waiting = last
      $0.end = action
    }
  }

  /// Changes what is to be done, and does it unless another thread is at it.
  private func enter(_ change: (inout State) -> Void) {
    let isFirst = state.withLock { state in
      change(&state)
      defer { state.isReporting = true }
      return !state.isReporting
    }
    guard isFirst else { return }
    while true {
      let (report, end): (Double?, (@Sendable () -> Void)?) = state.withLock { state in
        if let report = state.takeReport() { return (report, nil) }
        state.isReporting = false
        return (nil, state.end.take())
      }
      if let report { handler(report) } else { return end?() ?? () }
    }
  }
}

/// The progress of a group: the mean of its parts'.
@usableFromInline
final class GroupProgress: Sendable {
  private let whole: TaskProgress
  private let count: Int
  /// The sum over the parts, in units that make a part's whole.
  private let total = Atomic<Int>(0)
  private static let unitsPerPart = 1 << 32

  @usableFromInline
  init(of whole: TaskProgress, count: Int) {
    self.whole = whole
    self.count = count
  }

  @usableFromInline
  func makePart() -> TaskProgress {
    let reported = Reported()
    return .part { [self] fraction in
      let units = Int(fraction * Double(Self.unitsPerPart))
      let old = reported.units.exchange(units, ordering: .acquiringAndReleasing)
      if units == old { return }
      let sum = total.add(units - old, ordering: .acquiringAndReleasing).newValue
      whole.report(Double(sum) / Double(count) / Double(Self.unitsPerPart))
    }
  }

  private final class Reported: Sendable {
    let units = Atomic<Int>(0)
  }
}
