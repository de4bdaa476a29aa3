/// Where the time of a scenario goes: what makes several of them comparable in one number.
public enum WorkClass: String, Sendable, CaseIterable {
  /// An upload takes no time, and all run at once: what is left is coordination.
  case nothingWaits = "nothing_waits"
  /// The same, but only so many at once: each end starts the next.
  case limited
  /// Uploads take as long as a network lets them: with a limit, too.
  case uploadsWait = "uploads_wait"
  /// Each upload holds a thread.
  case blocking
  /// The job ends with an error or a cancellation.
  case failing
  /// What it asks is another question: which post comes first, or how preparation is spread over processors.
  case other
}

extension Scenario {
  /// What an end tells comes first, then what an upload does to its thread, then whether it takes time.
  public var workClass: WorkClass {
    let survivesFaults = pattern.races || pattern.retries
    if cancelAfter != nil || !faults.isEmpty && !survivesFaults { return .failing }
    if pattern.blocksThreads { return .blocking }
    if watchesHeartbeat || behind > 0 { return .other }
    if service != .instant { return .uploadsWait }
    return mostUnderWay == nil ? .nothingWaits : .limited
  }
}
