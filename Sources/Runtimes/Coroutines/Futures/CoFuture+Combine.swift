import Synchronization

extension CoFuture {
  /// All values in the order of the futures, or the first error that comes: then the others are cancelled, those that
  /// nobody else waits for.
  @inlinable public static func all<Element>(_ futures: [CoFuture<Element>]) -> CoFuture<[Element]>
  where Value == [Element] {
    let all = CoFuture<[Element]>()
    all.combine(futures) { Result { try futures.map { try $0.await() } } }
    return all
  }

  /// The values of two to six futures, each with its type; otherwise as `all`.
  @inlinable public static func zip<each Element: Sendable>(
    _ future: repeat CoFuture<each Element>
  ) -> CoFuture<(repeat each Element)> where Value == (repeat each Element) {
    var sources: [AnyCoFuture] = []
    repeat sources.append(each future)
    let zipped = CoFuture<(repeat each Element)>()
    zipped.combine(sources) { Result { (repeat try (each future).await()) } }
    return zipped
  }

  /// The first value that comes; then the others are cancelled, those that nobody else waits for. If all fail, or there is
  /// none, `AllFuturesFailed`.
  @inlinable public static func any(_ futures: [CoFuture]) -> CoFuture {
    let first = CoFuture()
    CoFutureCombination(
      futures,
      decide: { source in
        if source.failure == nil { first.copy(source) }
        return source.failure == nil
      },
      assemble: { first.complete(.failure(AllFuturesFailed(errors: futures.compactMap(\.failure)))) }
    ).start(for: first)
    return first
  }

  /// Fails with the first error, or succeeds with what is made of all values.
  @inlinable func combine(
    _ sources: [AnyCoFuture], _ assemble: @escaping @Sendable () -> Result<Value, any Error>
  ) {
    CoFutureCombination(
      sources,
      decide: { source in
        if let failure = source.failure { self.complete(.failure(failure)) }
        return source.failure != nil
      },
      assemble: { self.complete(assemble()) }
    ).start(for: self)
  }
}

/// A future of several others: it counts those that are resolved, until one of them decides or all are there.
@usableFromInline final class CoFutureCombination: Sendable {
  // Invariant: the waiters lie in `waiters`, whose callbacks hold the combination: it goes when the last one is retired.
  // Only the sources touch them, each under its lock, which `withdraw` takes too.
  private let sources: [AnyCoFuture]
  nonisolated(unsafe) private let waiters: UnsafeMutablePointer<Waiter>
  private let remaining: Atomic<Int>
  private let isDecided = Atomic<Bool>(false)
  /// Resolves the future if this source is enough.
  private let decide: @Sendable (AnyCoFuture) -> Bool
  /// Resolves it when all are there.
  private let assemble: @Sendable () -> Void

  @usableFromInline init(
    _ sources: [AnyCoFuture], decide: @escaping @Sendable (AnyCoFuture) -> Bool,
    assemble: @escaping @Sendable () -> Void
  ) {
    self.sources = sources
    self.decide = decide
    self.assemble = assemble
    remaining = Atomic(sources.count)
    waiters = .allocate(capacity: sources.count)
  }

  deinit { waiters.deallocate() }

  /// Begins to wait; once. Cancelling the future withdraws from all sources.
  @usableFromInline func start(for future: AnyCoFuture) {
    if sources.isEmpty {
      assemble()
      return
    }
    let callback: @Sendable (AnyCoFuture) -> Void = { self.sourceResolved($0) }
    for index in sources.indices {
      (waiters + index).initialize(to: Waiter(callback: callback, isAlone: false))
    }
    // All are there before the first is registered, because that may end it.
    future.setWithdrawal { [weak self] in self?.withdrawAll() ?? [] }
    for index in sources.indices { sources[index].register(waiters + index) }
  }

  private func sourceResolved(_ source: AnyCoFuture) {
    if isDecided.load(ordering: .relaxed) { return }
    if decide(source) {
      for source in withdrawAll() { source.cancel() }
    } else if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      assemble()
    }
  }

  /// Returns the sources that nobody else waits for, to be cancelled.
  private func withdrawAll() -> [AnyCoFuture] {
    if isDecided.exchange(true, ordering: .acquiringAndReleasing) { return [] }
    return sources.indices.filter { sources[$0].withdraw(waiters + $0) }.map { sources[$0] }
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

    /// A function of its own, so that it lets go of the error.
    private func takeLast() -> Storage? { (errors.removeLast() as? AllFuturesFailed)?.storage }
  }
}
