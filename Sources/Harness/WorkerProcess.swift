import Foundation

/// A worker process, which answers requests with samples.
public final class WorkerProcess<Work: Workload>: WorkerHandle {
  private let process: LineProcess

  /// - Parameters:
  ///   - arguments: what makes the executable a worker.
  ///   - isInterrupted: asked while waiting, several times a second and when a signal arrives.
  init(
    executable: URL, arguments: [String], placement: Placement = .anywhere,
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws(WorkerFailure) {
    process = try LineProcess(
      executable: executable, arguments: arguments, placement: placement, isInterrupted: isInterrupted)
  }

  public func run(_ request: SampleRequest<Work>) throws(WorkerFailure) -> SampleReply {
    guard let line = try? JSONEncoder().encode(request) else {
      throw .cannotStart(reason: "its request cannot be written")
    }
    try process.send(line)
    let reply = try process.readLine(seconds: request.patienceSeconds)
    guard let sample = try? JSONDecoder().decode(SampleReply.self, from: Data(reply)) else {
      throw .garbled(line: String(decoding: reply, as: UTF8.self))
    }
    return sample
  }

  public func stop() { process.stop() }
}

/// Starts an executable as a worker: this same one, or another build of it.
public struct WorkerProcessLauncher<Work: Workload>: WorkerLauncher {
  private let executable: URL
  private let arguments: @Sendable (_ contender: String) -> [String]
  private let placement: Placement
  private let isInterrupted: @Sendable () -> Bool

  public init(
    executable: URL, arguments: @escaping @Sendable (_ contender: String) -> [String],
    placement: Placement = .anywhere, isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.executable = executable
    self.arguments = arguments
    self.placement = placement
    self.isInterrupted = isInterrupted
  }

  public func launch(contender: String) throws(WorkerFailure) -> any WorkerHandle<Work> {
    try WorkerProcess<Work>(
      executable: executable, arguments: arguments(contender), placement: placement,
      isInterrupted: isInterrupted)
  }
}
