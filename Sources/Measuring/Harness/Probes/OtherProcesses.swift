/// Processor time that other processes took.
package struct TakenTime: Sendable, Hashable {
  package var nanoseconds = 0.0
  /// Of all processors that this process may use, busy or not.
  package var ofNanoseconds = 0.0

  package init(nanoseconds: Double = 0, ofNanoseconds: Double = 0) {
    (self.nanoseconds, self.ofNanoseconds) = (nanoseconds, ofNanoseconds)
  }

  package var share: Double { ofNanoseconds > 0 ? nanoseconds / ofNanoseconds : 0 }
}

/// What other processes take while rounds are taken: the time in which the processors were busy, less what this process and its
/// workers used.
///
/// The kernel says it in ticks of up to 10 ms, which single samples are too short for. It is read before a round and after it:
/// never while a worker is timed.
struct OtherProcesses {
  struct Reading {
    let nanoseconds: UInt64
    let busy: BusyTime
    let ownNanoseconds: UInt64
  }

  private let files: MachineFiles
  private let clock: HarnessClock
  private let processors: [Int]?
  private let ownNanoseconds: () -> UInt64
  /// Their shares in all rounds of a scenario so far, the disturbed ones included: what lasts becomes what is usual.
  private var shares: [String: [Double]] = [:]

  /// - Parameter ownNanoseconds: what this process has used.
  init(
    _ files: MachineFiles, clock: HarnessClock,
    ownNanoseconds: @escaping () -> UInt64 = { ResourceUsage.now().cpuNanoseconds }
  ) {
    self.files = files
    self.clock = clock
    self.ownNanoseconds = ownNanoseconds
    processors = ProcessorList.allowed(files)
  }

  /// nil where something is not known.
  ///
  /// - Parameter workers: what those that there are have used.
  func reading(workers: UInt64?) -> Reading? {
    guard let workers, let busy = BusyTime.now(files, of: processors) else { return nil }
    return Reading(nanoseconds: clock.nanoseconds(), busy: busy, ownNanoseconds: workers + ownNanoseconds())
  }

  /// Ends a round of a scenario; whether others disturbed it.
  mutating func isDisturbed(
    _ scenario: String, from start: Reading?, to end: Reading?, by rule: DropRule
  ) -> Bool {
    guard let start, let end, end.busy.nanoseconds >= start.busy.nanoseconds,
      end.ownNanoseconds >= start.ownNanoseconds
    else { return false }
    let (busy, own) = (
      end.busy.nanoseconds - start.busy.nanoseconds, end.ownNanoseconds - start.ownNanoseconds
    )
    let taken = TakenTime(
      nanoseconds: max(0, Double(busy) - Double(own)),
      ofNanoseconds: Double(end.nanoseconds - start.nanoseconds) * Double(end.busy.processors))
    let earlier = shares[scenario, default: []].sorted()
    shares[scenario, default: []].append(taken.share)
    return !earlier.isEmpty && rule.isDisturbed(by: taken, usually: earlier[earlier.count / 2])
  }
}
