/// A scope that ends with the object that has it: what was started in it, or added to it, is cancelled when it is deinitialised.
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
/// ``AnyCoFuture/added(to:)`` and ``CoChannel/added(to:)`` cancel with it what others made. The coroutines do not keep it alive. Unlike `CoScope.run`, which waits, this only asks for an end: a coroutine goes on to
/// its next suspension, and its cleaning up.
public final class CoLifetime: Sendable {
  private let scheduler: (any CoroutineScheduler)?
  fileprivate let members = Members()

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

  /// How many coroutines and futures are under way.
  public var count: Int { members.count }
}

extension AnyCoFuture {
  /// Cancels it with the lifetime: now, if that is over.
  @discardableResult public final func added(to lifetime: CoLifetime) -> Self {
    let members = lifetime.members
    if members.add(self) { whenResolved { members.remove($0) } } else { cancel() }
    return self
  }
}

extension CoChannel {
  /// Cancels it with the lifetime, which does not keep it: now, if that is over.
  @discardableResult public func added(to lifetime: CoLifetime) -> Self {
    lock.withLock { memberships.append(ChannelMembership(of: self, in: lifetime.members)) }
    let isAdded = lifetime.members.add(ObjectIdentifier(self)) { [weak self] in self?.cancel() }
    if !isAdded { cancel() }
    return self
  }
}

/// What a channel holds of a lifetime: it is no member any more when it goes.
private final class ChannelMembership: Sendable {
  private let channel: ObjectIdentifier
  private let members: Members

  init(of channel: AnyObject, in members: Members) {
    self.channel = ObjectIdentifier(channel)
    self.members = members
  }

  deinit { members.remove(channel: channel) }
}

/// The coroutines of a lifetime that are under way, and what was added to it.
private final class Members: @unchecked Sendable {
  // Invariant: touched under `lock`. The futures hold the members by their callbacks until they are resolved.
  private let lock = CoLock()
  private var futures: [ObjectIdentifier: AnyCoFuture] = [:]
  /// How each channel is cancelled.
  private var channels: [ObjectIdentifier: @Sendable () -> Void] = [:]
  private var isOver = false

  func add(_ future: AnyCoFuture) -> Bool {
    lock.withLock {
      if !isOver { futures[ObjectIdentifier(future)] = future }
      return !isOver
    }
  }

  func add(_ channel: ObjectIdentifier, cancel: @escaping @Sendable () -> Void) -> Bool {
    lock.withLock {
      if !isOver { channels[channel] = cancel }
      return !isOver
    }
  }

  func remove(_ future: AnyCoFuture) {
    // Released outside of the lock.
    let removed = lock.withLock { futures.removeValue(forKey: ObjectIdentifier(future)) }
    withExtendedLifetime(removed) {}
  }

  func remove(channel: ObjectIdentifier) {
    let removed = lock.withLock { channels.removeValue(forKey: channel) }
    withExtendedLifetime(removed) {}
  }

  func end() {
    let (futures, channels) = lock.withLock {
      isOver = true
      defer { (self.futures, self.channels) = ([:], [:]) }
      return (self.futures, self.channels)
    }
    for future in futures.values { future.cancel() }
    for cancel in channels.values { cancel() }
  }

  var count: Int { lock.withLock { futures.count } }
}
