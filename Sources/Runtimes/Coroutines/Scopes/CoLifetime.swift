/// A scope that ends with the object that has it: what was started in it is cancelled when it is deinitialised.
///
///     final class Screen {
///       private let lifetime = CoLifetime(on: DispatchQueue.main)
///       func load() {
///         lifetime.start { [weak self] in
///           let image = try fetch()
///           self?.show(image)
///         }
///       }
///     }
///
/// The coroutines do not keep it alive. Unlike `CoScope.run`, which waits, this only asks for an end: a coroutine goes on to
/// its next suspension, and its cleaning up.
public final class CoLifetime: Sendable {
  private let scheduler: (any CoroutineScheduler)?
  private let members = Members()

  /// Makes one whose coroutines run on the scheduler; nil: at once, on the thread that starts or resumes them.
  public init(on scheduler: (any CoroutineScheduler)? = nil) { self.scheduler = scheduler }

  deinit { members.end() }

  /// Starts a coroutine. After `cancel` it never runs, and its future fails with `CancellationError`.
  @discardableResult
  public func start<Value: Sendable>(
    name: String? = nil, stackByteCount: Int? = nil, _ body: @escaping @Sendable () throws -> Value
  ) -> CoFuture<Value> {
    let future = CoFuture(running: body)
    guard members.add(future) else {
      future.cancel()
      return future
    }
    future.start(on: scheduler, name: name, stackByteCount: stackByteCount)
    future.whenResolved { [members] in members.remove($0) }
    return future
  }

  /// Cancels what was started, and all that will be. Any thread, any number of times.
  public func cancel() { members.end() }

  /// How many coroutines are under way.
  public var count: Int { members.count }
}

/// The coroutines of a lifetime that are under way.
private final class Members: @unchecked Sendable {
  // Invariant: touched under `lock`. The futures hold the members by their callbacks until they are resolved.
  private let lock = CoLock()
  private var futures: [ObjectIdentifier: AnyCoFuture] = [:]
  private var isOver = false

  func add(_ future: AnyCoFuture) -> Bool {
    lock.withLock {
      if !isOver { futures[ObjectIdentifier(future)] = future }
      return !isOver
    }
  }

  func remove(_ future: AnyCoFuture) {
    // Released outside of the lock.
    let removed = lock.withLock { futures.removeValue(forKey: ObjectIdentifier(future)) }
    withExtendedLifetime(removed) {}
  }

  func end() {
    let cancelled = lock.withLock {
      isOver = true
      defer { futures = [:] }
      return futures
    }
    for future in cancelled.values { future.cancel() }
  }

  var count: Int { lock.withLock { futures.count } }
}
