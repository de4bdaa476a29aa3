import Foundation

/// A worker process, which answers requests with samples.
public final class WorkerProcess<Work: Workload>: WorkerHandle {
  private let process: LineProcess
  private let budgetSeconds: Int

  /// - Parameters:
  ///   - arguments: what makes the executable a worker.
  ///   - budgetSeconds: how long everything is to take: of that, silence must not take much more.
  ///   - isInterrupted: asked while waiting, several times a second and when a signal arrives.
  init(
    executable: URL, arguments: [String], placement: Placement = .anywhere, budgetSeconds: Int = .max,
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws(WorkerFailure) {
    self.budgetSeconds = budgetSeconds
    process = try LineProcess(
      executable: executable, arguments: arguments, placement: placement, isInterrupted: isInterrupted)
  }

  public func run(_ request: SampleRequest<Work>) throws(WorkerFailure) -> SampleReply {
    guard let line = try? JSONEncoder().encode(request) else {
      throw .cannotStart(reason: "its request cannot be written")
    }
    // Before the request is sent: the parent must not compute while the worker is timed.
    let seconds = Self.patienceSeconds(
      request.patienceSeconds, spare: request.patienceNanoseconds == nil ? 30 : 20,
      budgetSeconds: budgetSeconds)
    try process.send(line)
    let reply = try process.readLine(seconds: seconds)
    return try WorkerReply.decode(reply)
  }

  /// How long to wait for a reply: less than usual if there is less time in all.
  ///
  /// - Parameter spare: how much of the usual patience is there for a busy machine, and not for the work.
  static func patienceSeconds(_ usual: Int, spare: Int, budgetSeconds: Int) -> Int {
    max(usual - spare, min(usual, budgetSeconds))
  }

  public func stop() { process.stop() }
}

/// Starts an executable as a worker: this same one, or another build of it.
public struct WorkerProcessLauncher<Work: Workload>: WorkerLauncher {
  private let executable: URL
  private let arguments: @Sendable (_ contender: String) -> [String]
  private let placement: Placement
  private let budgetSeconds: Int
  private let isInterrupted: @Sendable () -> Bool

  /// - Parameters:
  ///   - executable: what is run, with the parent's environment.
  ///   - arguments: what makes it a worker of a contender.
  ///   - placement: where the scheduler puts it.
  ///   - budgetSeconds: how long everything is to take. A worker that gives no answer is given up sooner if that is short.
  ///   - isInterrupted: asked while waiting, several times a second and when a signal arrives.
  public init(
    executable: URL, arguments: @escaping @Sendable (_ contender: String) -> [String],
    placement: Placement = .anywhere, budgetSeconds: Int = .max,
    isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.executable = executable
    self.arguments = arguments
    self.placement = placement
    self.budgetSeconds = budgetSeconds
    self.isInterrupted = isInterrupted
  }

  public func launch(contender: String) throws(WorkerFailure) -> any WorkerHandle<Work> {
    try WorkerProcess<Work>(
      executable: executable, arguments: arguments(contender), placement: placement,
      budgetSeconds: budgetSeconds, isInterrupted: isInterrupted)
  }
}
