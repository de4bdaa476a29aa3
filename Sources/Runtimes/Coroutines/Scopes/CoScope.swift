/// What a scope can cancel: futures, coroutines by their futures, channels, other scopes, and classes of your own.
public protocol CoCancellable: AnyObject, Sendable {
  /// Cancels the work. Does nothing once the work is complete.
  func cancel()
  /// Calls back once when the work is complete, however it ended. Calls back immediately if it is already complete.
  func whenComplete(_ callback: sending @escaping () -> Void)
}

extension AnyCoFuture: CoCancellable {}
extension CoChannel: CoCancellable {}
extension CoScope: CoCancellable {}

/// Whether the work is complete, although its callbacks may not have been called yet.
private protocol Completable { var isOver: Bool { get } }

extension AnyCoFuture: Completable { fileprivate var isOver: Bool { isResolved } }
extension CoChannel: Completable { fileprivate var isOver: Bool { isClosed } }
extension CoScope: Completable { fileprivate var isOver: Bool { isCanceled } }

extension CoCancellable {
  /// Adds this object to a scope, which will cancel but not retain it. A cancelled scope cancels it immediately.
  @discardableResult public func added(to scope: CoScope) -> Self {
    scope.add(self)
    return self
  }
}

/// Cancels everything that was added to it when `cancel()` is called or the scope is deinitialised. Make it a property of the
/// object that owns the work.
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
/// A scope and its members do not retain each other, and complete members are removed. Unlike `CoGroup.run`, which waits, a
/// scope only requests an end: a coroutine continues to its next suspension and through its cleanup. Any thread may use a
/// scope. Work that is added to a cancelled scope is cancelled immediately.
public final class CoScope: Sendable {
  private let members = Members()

  /// An empty scope.
  public init() {}

  deinit { members.cancelAll() }

  /// Adds an object that the scope will cancel but not retain, like `added(to:)`.
  public func add(_ item: some CoCancellable) {
    guard let number = members.add(item) else {
      item.cancel()
      return
    }
    item.whenComplete { [members] in members.remove(number) }
  }

  /// Cancels all members, and later each object that is added. A second call does nothing.
  public func cancel() { members.cancelAll() }

  /// Calls back when the scope is cancelled or deinitialised. Calls back immediately if it was cancelled.
  public func whenComplete(_ callback: sending @escaping () -> Void) {
    // Invariant: `callback` is called only once.
    nonisolated(unsafe) let callback = callback
    if !members.addCallback({ callback() }) { callback() }
  }

  /// Whether the scope was cancelled.
  public var isCanceled: Bool { members.isOver }

  /// Whether all members are complete.
  public var isEmpty: Bool { members.isEmpty }
}

/// A scope's members and callbacks. Members' callbacks refer to this object, so that they do not retain the scope.
private final class Members: @unchecked Sendable {
  // Invariant: all variables are touched under `lock`, which is never held while unknown code runs or is released.
  private let lock = CoLock()
  private struct Member {
    weak var item: (any CoCancellable)?
  }

  /// The members by number. Numbers ascend in the order of addition.
  private var members: [Int: Member] = [:]
  private var callbacks: [@Sendable () -> Void] = []
  private var lastNumber = 0
  private var hasEnded = false

  /// Adds a member. Returns its number, or `nil` if the scope is over.
  func add(_ item: any CoCancellable) -> Int? {
    lock.withLock {
      if hasEnded { return nil }
      lastNumber += 1
      members[lastNumber] = Member(item: item)
      return lastNumber
    }
  }

  /// Adds a callback for the end of the scope. Returns false if the scope is over.
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
