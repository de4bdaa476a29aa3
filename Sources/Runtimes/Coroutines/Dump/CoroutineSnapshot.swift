/// What a live coroutine was doing at one moment.
public struct CoroutineSnapshot: Sendable, Hashable, CustomStringConvertible {
  /// What a suspended coroutine waits for.
  public struct Wait: Sendable, Hashable {
    /// In words: "a future", "a completion"; nil if what it waits for does not say.
    public let subject: String?
    /// The call that waits, as `Module/File.swift`.
    public let file: String?
    /// 0 if the file is nil.
    public let line: Int

    init(_ site: AwaitSite) {
      subject = site.subject.map { String(cString: $0) }
      file = site.file.map { String(cString: $0) }
      line = Int(site.line)
    }
  }

  /// Whether it waits, and for what.
  public enum State: Sendable, Hashable {
    /// It runs, or is ready to.
    case running
    /// It waits, and holds no thread.
    case suspended(Wait)
  }

  /// As it was started with.
  public let name: String?
  /// At the moment at which it was looked at.
  public let state: State

  public var description: String {
    let name = name ?? "(unnamed)"
    switch state {
    case .running: return "\(name): running"
    case .suspended(let wait):
      let place = wait.file.map { " at \($0):\(wait.line)" } ?? ""
      return "\(name): waits for \(wait.subject ?? "something")\(place)"
    }
  }
}

extension Coroutine {
  /// The coroutines that have begun to run and not finished, in no order; any thread.
  ///
  /// Each is seen at a moment of its own; one that starts or ends meanwhile may be missing. It takes time for every stack
  /// there ever was, and named coroutines that start or end wait until it is done. The coroutines themselves pay three
  /// stores for each suspension.
  public static var live: [CoroutineSnapshot] {
    FiberRegistry.withLock { slabs in
      slabs.flatMap { slab in (0..<slab.count).compactMap { slab[$0].snapshot() } }
    }
  }

  /// A line for each live coroutine: its name, and what it waits for and where. The same lines are counted, not repeated.
  public static func dump() -> String {
    var counts: [String: Int] = [:]
    for coroutine in live { counts[coroutine.description, default: 0] += 1 }
    return counts.sorted { $0.key < $1.key }
      .map { $0.value == 1 ? $0.key : "\($0.key) (\($0.value) coroutines)" }
      .joined(separator: "\n")
  }
}
