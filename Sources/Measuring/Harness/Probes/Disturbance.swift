import Results

/// The processor time that was lost to other work on the machine. `nil` where the kernel does not report it.
package struct Disturbance: Codable, Sendable, Hashable {
  /// The time for which the hypervisor ran other machines, summed over all processors, in steps of 10 ms.
  package var stealNanoseconds: UInt64?
  /// The time for which a runnable thread of any process waited for a processor.
  package var pressureNanoseconds: UInt64?

  package static func now(_ files: MachineFiles = .here) -> Disturbance {
    Disturbance(
      stealNanoseconds: ProcessorTime.now(files)?.stealNanoseconds,
      // The `total` in this line is in microseconds.
      pressureNanoseconds: files.line("some", in: "/proc/pressure/cpu")?.utf8.split(
        separator: UInt8(ascii: "=")
      )
      .last.flatMap { UInt64(Substring($0)) }.map { $0 * 1_000 })
  }

  /// The difference of two readings. `nil` if one is unknown or the later one is smaller.
  package func since(_ start: Disturbance) -> Disturbance {
    Disturbance(
      stealNanoseconds: Self.difference(stealNanoseconds, start.stealNanoseconds),
      pressureNanoseconds: Self.difference(pressureNanoseconds, start.pressureNanoseconds))
  }

  private static func difference(_ end: UInt64?, _ start: UInt64?) -> UInt64? {
    guard let end, let start, end >= start else { return nil }
    return end - start
  }
}

/// Measures how much other processes and virtual machines disturb a run, as shares of its duration.
package struct DisturbanceWatch: Sendable {
  private let files: MachineFiles
  private let start: Disturbance
  private let startThrottledNanoseconds: UInt64?
  private let startBusy: BusyTime?
  private let startOwnNanoseconds: UInt64
  private let ownNanoseconds: @Sendable () -> UInt64

  package init(
    _ files: MachineFiles = .here,
    ownNanoseconds: @escaping @Sendable () -> UInt64 = {
      ResourceUsage.now().cpuNanoseconds + ResourceUsage.ofChildren().cpuNanoseconds
    }
  ) {
    self.files = files
    self.ownNanoseconds = ownNanoseconds
    startBusy = .now(files, of: ProcessorList.allowed(files))
    startOwnNanoseconds = ownNanoseconds()
    start = .now(files)
    startThrottledNanoseconds = ControlGroup(files).throttledNanoseconds
  }

  /// Ends the measurement and stores its result. `processors` is the number of processors over which steal time is summed.
  package func record(into record: inout MachineRecord, elapsedNanoseconds: UInt64, processors: Int) {
    guard elapsedNanoseconds > 0 else { return }
    let elapsed = Double(elapsedNanoseconds)
    let disturbance = Disturbance.now(files).since(start)
    record.stealShare = disturbance.stealNanoseconds.map { Double($0) / elapsed / Double(max(1, processors)) }
    record.pressureShare = disturbance.pressureNanoseconds.map { Double($0) / elapsed }
    if let end = BusyTime.now(files, of: ProcessorList.allowed(files)), let startBusy {
      let busy = Double(end.nanoseconds) - Double(startBusy.nanoseconds)
      let own = Double(ownNanoseconds()) - Double(startOwnNanoseconds)
      record.othersShare = max(0, busy - own) / elapsed / Double(end.processors)
    }
    if let end = ControlGroup(files).throttledNanoseconds, let startThrottledNanoseconds {
      record.throttledShare = Double(end - min(end, startThrottledNanoseconds)) / elapsed
    }
  }
}

package struct TakenTime: Sendable, Hashable {
  package var nanoseconds = 0.0
  package var ofNanoseconds = 0.0

  package var share: Double { ofNanoseconds > 0 ? nanoseconds / ofNanoseconds : 0 }
}

/// Finds rounds in which other processes used much CPU time: the processors' busy time minus that of the run itself. A round
/// has a sample of each contender; the kernel's steps of 10 ms are too coarse for single samples.
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
  /// By scenario: the share of CPU time that other processes used in each earlier round, including disturbed rounds.
  private var shares: [String: [Double]] = [:]

  init(
    _ files: MachineFiles, clock: HarnessClock,
    ownNanoseconds: @escaping () -> UInt64 = { ResourceUsage.now().cpuNanoseconds }
  ) {
    self.files = files
    self.clock = clock
    self.ownNanoseconds = ownNanoseconds
    processors = ProcessorList.allowed(files)
  }

  /// - Parameter workers: the CPU time of all worker processes. If it is unknown, no reading is taken.
  func reading(workers: UInt64?) -> Reading? {
    guard let workers, let busy = BusyTime.now(files, of: processors) else { return nil }
    return Reading(nanoseconds: clock.nanoseconds(), busy: busy, ownNanoseconds: workers + ownNanoseconds())
  }

  /// Whether other processes disturbed a round. Call this once for each round, since it stores the CPU time that they used.
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
