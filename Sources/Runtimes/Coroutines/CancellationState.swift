import Synchronization

/// Whether something was cancelled, and what is to be done when it is.
///
/// The first action has a place of its own: a coroutine that awaits, and nothing else, allocates nothing here.
@usableFromInline
final class CancellationState: Sendable {
  @usableFromInline typealias Action = @Sendable () -> Void

  private struct State {
    var isCancelled = false
    var first: Action?
    var others: [Int: Action] = [:]
    var lastID = 0
  }

  private let state = Mutex(State())

  @usableFromInline var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Registers what to do when the cancel comes; it is done at once if it came already. Returns a name for `remove`.
  @usableFromInline func add(_ action: @escaping Action) -> Int {
    let id: Int? = state.withLock { state in
      if state.isCancelled { return nil }
      guard state.first != nil else {
        state.first = action
        return 0
      }
      state.lastID += 1
      state.others[state.lastID] = action
      return state.lastID
    }
    if id == nil { action() }
    return id ?? 0
  }

  @usableFromInline func remove(_ id: Int) {
    // What is removed is let go of outside the lock.
    _ = state.withLock { state in id == 0 ? state.first.take() : state.others.removeValue(forKey: id) }
  }

  /// Does what was registered, on this thread, the first time.
  func cancel() {
    let (first, others) = state.withLock { state in
      state.isCancelled = true
      defer { state.others = [:] }
      return (state.first.take(), state.others)
    }
    first?()
    for id in others.keys.sorted() { others[id]?() }
  }
}

extension Coroutine {
  /// Asks the coroutine to stop: what it awaits is cancelled, and its scopes. Any thread, any number of times.
  public func cancel() { cancellation.cancel() }

  public var isCancelled: Bool { cancellation.isCancelled }
}
