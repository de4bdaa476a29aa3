import Synchronization

extension CoFuture {
  /// All values in the order of the futures, or the first error that comes: then the others are cancelled, those that nothing
  /// else waits for.
  @inlinable public static func all<Element>(_ futures: [CoFuture<Element>]) -> CoFuture<[Element]>
  where Value == [Element] {
    let all = CoFuture<[Element]>()
    CoFutureCombination(
      futures,
      decide: { source in
        if let failure = source.failure { all.complete(.failure(failure)) }
        return source.failure != nil
      },
      assemble: { sources in
        all.complete(Result { try sources.map { try $0.result(of: Element.self).get() } })
      }
    ).start(futures, for: all)
    return all
  }

  /// The first value that comes; then the others are cancelled, those that nothing else waits for. If all fail, or there is
  /// none, `AllFuturesFailed`.
  @inlinable public static func any(_ futures: [CoFuture]) -> CoFuture {
    let first = CoFuture()
    CoFutureCombination(
      futures,
      decide: { source in
        if source.failure == nil { first.complete(source.result(of: Value.self)) }
        return source.failure == nil
      },
      assemble: { sources in first.complete(.failure(AllFuturesFailed(errors: sources.compactMap(\.failure))))
      }
    ).start(futures, for: first)
    return first
  }
}

/// A future of several others: it counts those that are resolved, until one of them decides or all are there.
@usableFromInline final class CoFutureCombination: Sendable {
  /// One of them. It is held once it is resolved: before, what will resolve it does.
  private struct Source {
    weak var pending: AnyCoFuture?
    var resolved: AnyCoFuture?
  }

  // Invariant: the waiters lie in `waiters`, whose callbacks hold the combination: it goes when the last one is retired. Only
  // the sources touch them, each under its lock, which `withdraw` takes too. `pending` is written in init, `resolved` by the
  // source's callback, and read when all have been called.
  nonisolated(unsafe) private let waiters: UnsafeMutablePointer<Waiter>
  nonisolated(unsafe) private let sources: UnsafeMutablePointer<Source>
  private let count: Int
  private let remaining: Atomic<Int>
  private let isDecided = Atomic<Bool>(false)
  /// Resolves the future if this source is enough.
  private let decide: @Sendable (AnyCoFuture) -> Bool
  /// Resolves it when all are there.
  private let assemble: @Sendable ([AnyCoFuture]) -> Void

  @usableFromInline init(
    _ futures: [AnyCoFuture], decide: @escaping @Sendable (AnyCoFuture) -> Bool,
    assemble: @escaping @Sendable ([AnyCoFuture]) -> Void
  ) {
    count = futures.count
    self.decide = decide
    self.assemble = assemble
    remaining = Atomic(count)
    waiters = .allocate(capacity: count)
    sources = .allocate(capacity: count)
    for index in 0..<count { (sources + index).initialize(to: Source(pending: futures[index])) }
  }

  deinit {
    waiters.deallocate()
    sources.deinitialize(count: count)
    sources.deallocate()
  }

  /// Begins to wait; once. Cancelling the future withdraws from all sources.
  @usableFromInline func start(_ futures: [AnyCoFuture], for future: AnyCoFuture) {
    if futures.isEmpty { return assemble([]) }
    for index in 0..<count {
      let callback: @Sendable (AnyCoFuture) -> Void = { self.sourceResolved($0, index) }
      (waiters + index).initialize(to: Waiter(callback: callback, isAlone: false))
    }
    // All are there before the first is registered, because that may end it.
    future.setWithdrawal { [weak self] in self?.withdrawAll() ?? [] }
    for index in 0..<count { futures[index].register(waiters + index) }
  }

  private func sourceResolved(_ source: AnyCoFuture, _ index: Int) {
    if isDecided.load(ordering: .relaxed) { return }
    sources[index].resolved = source
    if decide(source) {
      for source in withdrawAll() { source.cancel() }
    } else if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      assemble((0..<count).map { sources[$0].resolved.unsafelyUnwrapped })
    }
  }

  /// Returns the sources that nothing else waits for, to be cancelled.
  private func withdrawAll() -> [AnyCoFuture] {
    if isDecided.exchange(true, ordering: .acquiringAndReleasing) { return [] }
    return (0..<count).compactMap { index in
      guard let source = sources[index].pending, source.withdraw(waiters + index) else { return nil }
      return source
    }
  }
}

/// Every future, or every body, given to `any` failed.
///
/// One of the errors may be another of this kind, and so on: any number within each other is freed in bounded stack.
public struct AllFuturesFailed: Error, CustomStringConvertible {
  private let storage: Storage

  /// In the order of what was given.
  public var errors: [any Error] { storage.errors }

  public var description: String { "all failed: \(errors)" }

  @usableFromInline init(errors: [any Error]) { storage = Storage(errors) }

  // Not an `ErrorList`, which uses a stack's own values: from then on every switch of a coroutine has to exchange those.
  /// `@unchecked Sendable`: `errors` is written by init, and by the deinit of this one or of the only one that refers to it.
  private final class Storage: @unchecked Sendable {
    var errors: [any Error]

    init(_ errors: [any Error]) { self.errors = errors }

    deinit {
      while !errors.isEmpty {
        guard var inner = takeLast(), isKnownUniquelyReferenced(&inner) else { continue }
        errors += inner.errors
        inner.errors = []
      }
    }

    /// A function of its own, so that it releases the error.
    private func takeLast() -> Storage? { (errors.removeLast() as? AllFuturesFailed)?.storage }
  }
}
