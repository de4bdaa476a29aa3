/// What a scope can cancel: futures, coroutines by theirs, channels, scopes, and classes of your own.
public protocol CoCancellable: AnyObject, Sendable {
  /// Ends it early; once it is complete, this does nothing.
  func cancel()
  /// Calls back once it is complete, however it came to that; at once if it is.
  func whenComplete(_ callback: sending @escaping () -> Void)
}

extension AnyCoFuture: CoCancellable {}
extension CoChannel: CoCancellable {}
extension CoScope: CoCancellable {}

extension CoCancellable {
  /// Cancels it with the scope, which does not keep it: now, if that was cancelled.
  @discardableResult public func added(to scope: CoScope) -> Self {
    scope.add(self)
    return self
  }
}

/// What belongs to an object: all that was added to it is cancelled by `cancel()`, or when it is deinitialised.
///
///     final class Screen {
///       private let scope = CoScope()
///       func load() {
///         DispatchQueue.main.startCoroutine(in: scope) { [weak self] in
///           let image = try fetch()
///           self?.show(image)
///         }
///       }
///     }
///
/// Neither keeps the other alive, and what is complete is forgotten. Unlike `CoGroup.run`, which waits, this only asks for an end:
/// a coroutine goes on to its next suspension, and its cleaning up. Any thread, also while it is cancelled: what is added then
/// is cancelled at once.
public final class CoScope: Sendable {
  private let members = Members()

  /// An empty scope.
  public init() {}

  deinit { members.cancelAll() }

  /// Adds something to be cancelled, as `added(to:)`.
  public func add(_ item: some CoCancellable) {
    guard let number = members.add({ [weak item] in item?.cancel() }) else {
      item.cancel()
      return
    }
    item.whenComplete { [members] in members.remove(number) }
  }

  /// Cancels what was added, and all that will be; the second time it does nothing.
  public func cancel() { members.cancelAll() }

  /// Calls back when it is cancelled or deinitialised; at once if it was cancelled.
  public func whenComplete(_ callback: sending @escaping () -> Void) {
    // Called once.
    nonisolated(unsafe) let callback = callback
    if !members.addCallback({ callback() }) { callback() }
  }

  /// Whether it was cancelled.
  public var isCanceled: Bool { members.isOver }

  /// Whether nothing is left to cancel.
  public var isEmpty: Bool { members.isEmpty }
}

/// What a scope holds, and what its members' callbacks hold of it.
private final class Members: @unchecked Sendable {
  // Invariant: touched under `lock`, which is never held while anything unknown runs or is released.
  private let lock = CoLock()
  /// How each is cancelled, by its number: they count in the order of arrival.
  private var cancels: [Int: @Sendable () -> Void] = [:]
  private var callbacks: [@Sendable () -> Void] = []
  private var lastNumber = 0
  private var hasEnded = false

  /// Nil if the scope is over.
  func add(_ cancel: @escaping @Sendable () -> Void) -> Int? {
    lock.withLock {
      if hasEnded { return nil }
      lastNumber += 1
      cancels[lastNumber] = cancel
      return lastNumber
    }
  }

  /// False if the scope is over.
  func addCallback(_ callback: @escaping @Sendable () -> Void) -> Bool {
    lock.withLock {
      if !hasEnded { callbacks.append(callback) }
      return !hasEnded
    }
  }

  func remove(_ number: Int) {
    let removed = lock.withLock { cancels.removeValue(forKey: number) }
    withExtendedLifetime(removed) {}
  }

  func cancelAll() {
    let (cancels, callbacks) = lock.withLock {
      hasEnded = true
      defer { (self.cancels, self.callbacks) = ([:], []) }
      return (self.cancels, self.callbacks)
    }
    for (_, cancel) in cancels.sorted(by: { $0.key < $1.key }) { cancel() }
    for callback in callbacks { callback() }
  }

  var isOver: Bool { lock.withLock { hasEnded } }
  var isEmpty: Bool { lock.withLock { cancels.isEmpty } }
}
