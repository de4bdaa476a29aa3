import Results

/// A worker as the parent sees it. Tests put fakes here.
public protocol WorkerHandle<Work>: AnyObject {
  /// What samples are taken of.
  associatedtype Work: Workload

  /// Passes the token: returns when the sample has been taken.
  func run(_ request: SampleRequest<Work>) throws(WorkerFailure) -> SampleReply
  /// Ends the worker, whatever it is doing.
  func stop()
}

/// Starts a fresh worker for a contender.
public protocol WorkerLauncher<Work> {
  /// What samples are taken of.
  associatedtype Work: Workload

  /// Starts one and returns; whether it can do anything is known with its first reply.
  func launch(contender: String) throws(WorkerFailure) -> any WorkerHandle<Work>
}

/// Why a worker gave no reply. A worker that failed is ended and replaced.
public enum WorkerFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no process.
  case cannotStart(reason: String)
  /// The process ended by itself; `how` says with which status or signal, and its last words.
  case died(how: String)
  /// It gave no answer for so long, and was ended.
  case silent(seconds: Int)
  /// It answered something that is no reply: the line.
  case garbled(line: String)
  /// The user ended the run while the sample was being taken.
  case interrupted

  public var description: String {
    switch self {
    case .cannotStart(let reason): "its worker could not be started: \(reason)"
    case .died(let how): "its worker died: \(how)"
    case .silent(let seconds): "its worker gave no answer within \(seconds) s and was ended"
    case .garbled(let line):
      "its worker answered something else than a sample: \(SafeText.excerpt(line))"
    case .interrupted: "the run was interrupted"
    }
  }
}
