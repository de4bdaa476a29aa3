/// What a scope can cancel: futures, coroutines by theirs, channels, scopes, and classes of your own.
public protocol CoCancellable: AnyObject, Sendable {
  /// Ends it early; does nothing once it is complete.
  func cancel()
  /// Calls back once it is complete, however it ended; at once if it is.
  func whenComplete(_ callback: sending @escaping () -> Void)
}

extension AnyCoFuture: CoCancellable {}
extension CoChannel: CoCancellable {}
extension CoScope: CoCancellable {}

/// Whether it is complete, before it has called back.
private protocol Completable { var isOver: Bool { get } }

extension AnyCoFuture: Completable { fileprivate var isOver: Bool { isResolved } }
extension CoChannel: Completable { fileprivate var isOver: Bool { isClosed } }
extension CoScope: Completable { fileprivate var isOver: Bool { isCanceled } }

extension CoCancellable {
  /// Cancels it with the scope, which does not keep it alive; at once if the scope was cancelled.
  @discardableResult public func added(to scope: CoScope) -> Self {
    scope.add(self)
    return self
  }
}

/// Cancels everything that was added to it, by `cancel()` or when it is deinitialised; a property of the object that owns the
/// work.
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
/// Neither keeps the other alive, and complete members are forgotten. Unlike `CoGroup.run`, which waits, this only requests an
/// end: a coroutine goes on to its next suspension, and its cleanup. Any thread may use it, also while it is cancelled: what is
/// added then is cancelled at once.
public final class CoScope: Sendable {
  private let members = Members()

  /// An empty scope.
  public init() {}

  deinit { members.cancelAll() }

  /// Adds an item to be cancelled, as `added(to:)`.
  public func add(_ item: some CoCancellable) {
    guard let number = members.add(item) else {
      item.cancel()
      return
    }
    item.whenComplete { [members] in members.remove(number) }
  }

  /// Cancels all members, and every later one; a second call does nothing.
  public func cancel() { members.cancelAll() }

  /// Calls back when it is cancelled or deinitialised; at once if it was cancelled.
  public func whenComplete(_ callback: sending @escaping () -> Void) {
    // Called once.
    nonisolated(unsafe) let callback = callback
    if !members.addCallback({ callback() }) { callback() }
  }

  /// Whether it was cancelled.
  public var isCanceled: Bool { members.isOver }

  /// Whether all members are complete.
  public var isEmpty: Bool { members.isEmpty }
}

/// A scope's members and callbacks, which its members' callbacks refer to.
private final class Members: @unchecked Sendable {
  // Invariant: touched under `lock`, which is never held while unknown code runs or is released.
  private let lock = CoLock()
  private struct Member {
    weak var item: (any CoCancellable)?
  }

  /// By their numbers, in the order of addition.
  private var members: [Int: Member] = [:]
  private var callbacks: [@Sendable () -> Void] = []
  private var lastNumber = 0
  private var hasEnded = false

  /// Nil if the scope is over.
  func add(_ item: any CoCancellable) -> Int? {
    lock.withLock {
      if hasEnded { return nil }
      lastNumber += 1
      members[lastNumber] = Member(item: item)
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

  func remove(_ number: Int) { lock.withLock { _ = members.removeValue(forKey: number) } }

  func cancelAll() {
    let (members, callbacks) = lock.withLock {
      hasEnded = true
      defer { (self.members, self.callbacks) = ([:], []) }
      return (self.members, self.callbacks)
    }
    for (_, member) in members.sorted(by: { $0.key < $1.key }) { member.item?.cancel() }
    for callback in callbacks { callback() }
  }

  var isOver: Bool { lock.withLock { hasEnded } }
  var isEmpty: Bool {
    let members = lock.withLock { self.members }
    return members.values.allSatisfy { member in
      member.item.map { ($0 as? any Completable)?.isOver ?? false } ?? true
    }
  }
}
