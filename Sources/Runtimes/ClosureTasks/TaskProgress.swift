import Synchronization

/// Where a run reports its progress: a stretch of somebody's scale from 0 to 1.
///
/// Stretches of stretches are not nested, so a report costs the same however tasks are composed.
@usableFromInline
final class TaskProgress: Sendable {
  private let handler: @Sendable (Double) -> Void
  private let start: Double
  private let length: Double

  @usableFromInline
  init(_ handler: @escaping @Sendable (Double) -> Void, start: Double = 0, length: Double = 1) {
    self.handler = handler
    self.start = start
    self.length = length
  }

  /// The whole scale of what somebody performed. The same value twice in a row is reported once.
  @usableFromInline
  static func whole(_ handler: @escaping @Sendable (Double) -> Void) -> TaskProgress {
    let last = LastReport()
    return TaskProgress { fraction in if last.changes(to: fraction) { handler(fraction) } }
  }

  private final class LastReport: Sendable {
    private let bits = Atomic<UInt64>(Double.nan.bitPattern)

    func changes(to fraction: Double) -> Bool {
      bits.exchange(fraction.bitPattern, ordering: .relaxed) != fraction.bitPattern
    }
  }

  /// Reports a fraction of this stretch; what is outside of it counts as its nearest end, and what is no number as nothing.
  func report(_ fraction: Double) {
    if !fraction.isNaN { handler(start + length * min(max(fraction, 0), 1)) }
  }

  @usableFromInline var firstHalf: TaskProgress {
    TaskProgress(handler, start: start, length: length / 2)
  }

  @usableFromInline var secondHalf: TaskProgress {
    TaskProgress(handler, start: start + length / 2, length: length / 2)
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
    return TaskProgress { [self] fraction in
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
