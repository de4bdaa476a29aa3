import Foundation

/// A worker for load as the parent sees it. Tests put fakes here.
public protocol LoadWorkerHandle: AnyObject {
  /// Returns when the window has been taken.
  func run(_ request: LoadRequest) throws(WorkerFailure) -> LoadReply
  /// Ends the worker, whatever it is doing.
  func stop()
}

/// A worker process for load.
public final class LoadWorkerProcess: LoadWorkerHandle {
  private let process: LineProcess

  /// - Parameters:
  ///   - executable: what is run, with the parent's environment.
  ///   - arguments: what makes the executable a worker.
  ///   - isInterrupted: asked while waiting, several times a second and when a signal arrives.
  public init(
    executable: URL, arguments: [String], isInterrupted: @escaping @Sendable () -> Bool
  ) throws(WorkerFailure) {
    process = try LineProcess(executable: executable, arguments: arguments, isInterrupted: isInterrupted)
  }

  public func run(_ request: LoadRequest) throws(WorkerFailure) -> LoadReply {
    guard let line = try? JSONEncoder().encode(request) else {
      throw .cannotStart(reason: "its request cannot be written")
    }
    try process.send(line)
    return try WorkerReply.decode(try process.readLine(seconds: request.patienceSeconds))
  }

  public func stop() { process.stop() }
}

extension LoadRequest {
  /// How long the parent waits: a little longer than the worker itself does, in case the worker is the one that hangs.
  var patienceSeconds: Int {
    // The window, its drain, which is as long and a little more, and the patience with what was given up.
    3 * Int(windowNanoseconds / 1_000_000_000) + scenario.patienceSeconds(iterations: 1)
  }
}
