import Synchronization

/// Whether something was cancelled, and what is to be done when it is.
final class CancellationState: Sendable {
  private struct State {
    var isCancelled = false
    var actions: [(id: Int, action: @Sendable () -> Void)] = []
    var lastID = 0
  }

  private let state = Mutex(State())

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Registers what to do when the cancel comes; it is done at once if it came already. Returns a name for `remove`.
  func add(_ action: @escaping @Sendable () -> Void) -> Int {
    let id: Int? = state.withLock { state in
      if state.isCancelled { return nil }
      state.lastID += 1
      state.actions.append((state.lastID, action))
      return state.lastID
    }
    if id == nil { action() }
    return id ?? 0
  }

  func remove(_ id: Int) {
    // What is removed is let go of outside the lock.
    _ = state.withLock { state in
      state.actions.lastIndex { $0.id == id }.map { state.actions.remove(at: $0) }
    }
  }

  /// Does what was registered, on this thread, the first time.
  func cancel() {
    let actions = state.withLock { state in
      state.isCancelled = true
      defer { state.actions = [] }
      return state.actions
    }
    for (_, action) in actions { action() }
  }
}

extension Coroutine {
  /// Asks the coroutine to stop: what it awaits is cancelled, and its scopes. Any thread, any number of times.
  public func cancel() { cancellation.cancel() }

  public var isCancelled: Bool { cancellation.isCancelled }
}
