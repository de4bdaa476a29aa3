import Results

/// What disturbed the machine between two moments, as shares of the time between them.
public struct DisturbanceWatch: Sendable {
  private let files: MachineFiles
  private let start: Disturbance
  private let startThrottledNanoseconds: UInt64?

  /// Begins to watch.
  public init(_ files: MachineFiles = .here) {
    self.files = files
    start = .now(files)
    startThrottledNanoseconds = ControlGroup(files).throttledNanoseconds
  }

  /// Ends it.
  ///
  /// - Parameters:
  ///   - record: where the shares are written.
  ///   - elapsedNanoseconds: since it began; of 0, nothing is written.
  ///   - processors: how many share the stolen time, which is a sum over all of them.
  public func record(into record: inout MachineRecord, elapsedNanoseconds: UInt64, processors: Int) {
    guard elapsedNanoseconds > 0 else { return }
    let elapsed = Double(elapsedNanoseconds)
    let disturbance = Disturbance.now(files).since(start)
    record.stealShare = disturbance.stealNanoseconds.map { Double($0) / elapsed / Double(max(1, processors)) }
    record.pressureShare = disturbance.pressureNanoseconds.map { Double($0) / elapsed }
    if let end = ControlGroup(files).throttledNanoseconds, let startThrottledNanoseconds {
      record.throttledShare = Double(end - min(end, startThrottledNanoseconds)) / elapsed
    }
  }
}
