import Synchronization

extension CoFuture {
  /// All values in the order of the futures, or the first error that comes: the others are cancelled before, those that nothing
  /// else waits for.
  @inlinable public static func all<Element>(_ futures: [CoFuture<Element>]) -> CoFuture<[Element]>
  where Value == [Element] {
    let all = CoFuture<[Element]>()
    CoFutureCombination(
      futures,
      decides: { $0.failure != nil },
      conclude: { source in
        if let failure = source.failure { all.complete(.failure(failure)) }
      },
      assemble: { sources in
        all.complete(Result { try sources.map { try $0.result(of: Element.self).get() } })
      }
    ).start(futures, for: all)
    return all
  }

  /// The first value that comes; the others are cancelled before, those that nothing else waits for. If all fail, or there is
  /// none, `AllFuturesFailed`.
  @inlinable public static func any(_ futures: [CoFuture]) -> CoFuture {
    let first = CoFuture()
    CoFutureCombination(
      futures,
      decides: { $0.failure == nil },
      conclude: { first.complete($0.result(of: Value.self)) },
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
  /// Whether this source is enough.
  private let decides: @Sendable (AnyCoFuture) -> Bool
  /// Resolves the future with the one that is.
  private let conclude: @Sendable (AnyCoFuture) -> Void
  /// Resolves it when all are there.
  private let assemble: @Sendable ([AnyCoFuture]) -> Void

  @usableFromInline init(
    _ futures: [AnyCoFuture], decides: @escaping @Sendable (AnyCoFuture) -> Bool,
    conclude: @escaping @Sendable (AnyCoFuture) -> Void,
    assemble: @escaping @Sendable ([AnyCoFuture]) -> Void
  ) {
    count = futures.count
    self.decides = decides
    self.conclude = conclude
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
    future.setWithdrawal { [weak self] in self.map { $0.withdrawAll() } ?? [] }
    for index in 0..<count { futures[index].register(waiters + index) }
  }

  private func sourceResolved(_ source: AnyCoFuture, _ index: Int) {
    if isDecided.load(ordering: .relaxed) { return }
    sources[index].resolved = source
    if decides(source) {
      guard let others = withdrawAll() else { return }
      for other in others { other.cancel() }
      conclude(source)
    } else if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      assemble((0..<count).map { sources[$0].resolved.unsafelyUnwrapped })
    }
  }

  /// Returns the sources that nothing else waits for, to be cancelled; nil if that has been done.
  private func withdrawAll() -> [AnyCoFuture]? {
    if isDecided.exchange(true, ordering: .acquiringAndReleasing) { return nil }
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

extension CoFuture {
  /// The result as a function makes it.
  ///
  /// The function runs on the thread that brings the result, or here if it is there; inside another callback, once that has
  /// returned: chains and recursions of any length need no stack. So do not block in it. It does not run if the new future is
  /// cancelled before: what must always run stands in a coroutine's `defer`, or in this future's `whenComplete`.
  @inlinable public final func mapResult<Mapped: Sendable>(
    _ transform: sending @escaping (Result<Value, any Error>) -> Result<Mapped, any Error>
  ) -> CoFuture<Mapped> {
    let mapped = CoFuture<Mapped>()
    // Called once.
    nonisolated(unsafe) let transform = transform
    mapped.follow(self) { source in
      if !mapped.isResolved { mapped.complete(transform(source.result(of: Value.self))) }
    }
    return mapped
  }

  /// The value as a function makes it. An error of this future, or of the function, is the new future's. As `mapResult`.
  @inlinable public final func map<Mapped: Sendable>(
    _ transform: sending @escaping (Value) throws -> Mapped
  ) -> CoFuture<Mapped> {
    mapResult { result in Result { try transform(result.get()) } }
  }

  /// The value, or what a function makes of the error. As `mapResult`.
  @inlinable public final func recover(_ transform: sending @escaping (any Error) throws -> Value) -> CoFuture
  {
    mapResult { result in result.flatMapError { error in Result { try transform(error) } } }
  }

  /// The result of the future that a function makes of this one's; otherwise as `mapResult`. Cancelling the new future cancels
  /// the one of the two that is under way, if nothing else waits for it; one that is being made at that moment, once it is there.
  @inlinable public final func flatMapResult<Mapped: Sendable>(
    _ transform: sending @escaping (Result<Value, any Error>) throws -> CoFuture<Mapped>
  ) -> CoFuture<Mapped> {
    let mapped = CoFuture<Mapped>()
    // Called once.
    nonisolated(unsafe) let transform = transform
    mapped.follow(self) { source in
      if !mapped.isResolved { mapped.adopt { try transform(source.result(of: Value.self)) } }
    }
    return mapped
  }

  /// The result of the future that a function makes of the value. As `flatMapResult`.
  @inlinable public final func flatMap<Mapped: Sendable>(
    _ transform: sending @escaping (Value) throws -> CoFuture<Mapped>
  ) -> CoFuture<Mapped> {
    flatMapResult { try transform($0.get()) }
  }

  /// The value, or the result of the future that a function makes of the error. As `flatMapResult`.
  @inlinable public final func flatMapError(
    _ transform: sending @escaping (any Error) throws -> CoFuture
  ) -> CoFuture {
    flatMapResult { result in
      if case .failure(let error) = result { return try transform(error) }
      return CoFuture(result: result)
    }
  }

  /// Takes over the result of a future that is about to be made.
  @inlinable final func adopt(_ make: () throws -> CoFuture) {
    do {
      let adopted = try make()
      // It would wait for itself, without an end.
      if adopted === self { throw CoroutineError.waitsForItself }
      follow(adopted) { self.complete($0.result(of: Value.self)) }
    } catch {
      complete(.failure(error))
    }
  }
}
