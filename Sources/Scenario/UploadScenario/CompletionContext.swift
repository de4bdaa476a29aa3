import Dispatch

/// Where what follows an answer runs.
///
/// Most of what an idiom seems to cost is what it takes to get there: to be compared, contenders must be in the same one.
public enum CompletionContext: String, Sendable, Hashable, Codable, CaseIterable {
  /// On the thread that answers, before the service goes on.
  case inline
  /// One at a time, on a serial queue, actor or executor that outlives the job.
  case queue
  /// On any thread of a pool.
  case pool

  /// A line for `bench list`.
  public var summary: String {
    switch self {
    case .inline: "on the thread that answers"
    case .queue: "one at a time, on a serial queue or executor"
    case .pool: "on any thread of a pool"
    }
  }

  /// What a contender is called here: its own name where its users are by default, else with `@` and this.
  public func name(of contender: String, usually usual: Self?) -> String {
    self == usual ? contender : "\(contender)@\(rawValue)"
  }

  /// A queue that has completions there, made anew; nil where that is the answering thread.
  public func makeQueue(label: String) -> DispatchQueue? {
    switch self {
    case .inline: nil
    case .queue: DispatchQueue(label: label)
    case .pool: DispatchQueue(label: label, attributes: .concurrent)
    }
  }
}
