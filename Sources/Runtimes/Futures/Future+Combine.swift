import RuntimeSupport
import Synchronization

extension Future {
  /// A future of all values, in the order of the futures. The first failure becomes the outcome and cancels the others.
  @inlinable public static func all<Element>(_ futures: some Sequence<Future<Element>>) -> Future<[Element]>
  where Value == [Element] {
    combineAll(of: .references(to: futures))
  }

  /// A future of all values of the futures that `start` makes for the items, in the order of the items.
  ///
  /// `start` is called for one item at a time: on the calling thread or, if the limit (at least 1) was reached, on the thread
  /// that completes an earlier future. The first failure becomes the outcome, cancels the futures in flight and starts no more.
  @inlinable public static func all<Items: Sequence & Sendable, Element>(
    _ items: Items, limit: Int? = nil, _ start: @escaping @Sendable (Items.Element) throws -> Future<Element>
  ) -> Future<[Element]> where Value == [Element] {
    let remaining = RemainingItems(items.makeIterator())
    var sources: [AnyFuture] = []
    if limit == nil { sources.reserveCapacity(items.underestimatedCount) }
    return combineAll(of: sources, limit: limit) { try remaining.iterator.next().map(start) }
  }

  @inlinable static func combineAll<Element>(
    of sources: [AnyFuture], limit: Int? = nil, startNext: (() throws -> AnyFuture?)? = nil
  ) -> Future<[Element]> where Value == [Element] {
    FutureCombination<[Element]>(
      of: sources, limit: limit, startNext: startNext,
      decide: { source in source.failure.map { .failure($0) } },
      assemble: { sources in
        .success(sources.map { unsafeDowncast($0, to: Future<Element>.self).storedValue })
      })
  }

  /// A future of the outcomes of all futures, in order of completion. It fails only if it is cancelled, and then cancels all.
  public static func inOrderOfCompletion<Element>(
    _ futures: some Sequence<Future<Element>>
  ) -> Future<[Result<Element, any Error>]> where Value == [Result<Element, any Error>] {
    let completed = Mutex<[AnyFuture]>([])
    return FutureCombination<[Result<Element, any Error>]>(
      of: .references(to: futures),
      decide: { source in
        completed.withLock { $0.append(source) }
        return nil
      },
      assemble: { _ in
        let futures = completed.withLock { $0 }
        return .success(futures.map { unsafeDowncast($0, to: Future<Element>.self).completedResult })
      })
  }

  /// A future of the first value; the other futures are cancelled. It fails with ``FutureError/allFailed(_:)`` if all fail, and
  /// with ``FutureError/noFutures`` if there are none.
  @inlinable public static func any(_ futures: some Sequence<Future>) -> Future {
    FutureCombination<Value>(
      of: .references(to: futures),
      decide: { source in
        source.failure == nil ? .success(unsafeDowncast(source, to: Future.self).storedValue) : nil
      },
      assemble: { sources in
        sources.isEmpty
          ? .failure(FutureError.noFutures)
          : .failure(FutureError.allFailed(ErrorList(sources.compactMap(\.failure))))
      })
  }

  /// A future of the first outcome, value or error; the other futures are cancelled. Without futures it fails with
  /// ``FutureError/noFutures``.
  @inlinable public static func race(_ futures: some Sequence<Future>) -> Future {
    FutureCombination<Value>(
      of: .references(to: futures),
      decide: { source in unsafeDowncast(source, to: Future.self).completedResult },
      assemble: { _ in .failure(FutureError.noFutures) })
  }

  /// A future of the values of all futures, each with its own type. The first failure becomes the outcome and cancels the rest.
  @inlinable public static func zip<each Element: Sendable>(
    _ future: repeat Future<each Element>
  ) -> Future<(repeat each Element)> where Value == (repeat each Element) {
    var sources: [AnyFuture] = []
    repeat sources.append(each future)
    return FutureCombination<(repeat each Element)>(
      of: sources,
      decide: { source in source.failure.map { .failure($0) } },
      assemble: { sources in
        var remaining = sources.makeIterator()
        func next<Next: Sendable>(_: Next.Type) -> Next {
          unsafeDowncast(remaining.next()!, to: Future<Next>.self).storedValue
        }
        return .success((repeat next((each Element).self)))
      })
  }
}

/// The items for which no future was started. A class, because each access to a captured variable checks exclusivity.
@usableFromInline final class RemainingItems<Iterator: IteratorProtocol> {
  // Invariant: only the thread that starts futures touches `iterator`. `SerialTurns` lets one thread at a time do so.
  @exclusivity(unchecked) @usableFromInline var iterator: Iterator

  @inlinable init(_ iterator: Iterator) { self.iterator = iterator }
}

extension [AnyFuture] {
  @inlinable static func references<Value>(to futures: some Sequence<Future<Value>>) -> [AnyFuture] {
    // Arrays of references to a class and to its base class have the same layout, and the cast copies nothing.
    unsafeBitCast(Array<Future<Value>>(futures), to: [AnyFuture].self)
  }
}

extension Future {
  /// A future that succeeds with `value` after a delay. Without a delay, it is already complete.
  public static func after(_ delay: Duration, value: Value) -> Future {
    guard delay > .zero else { return Future(value: value) }
    let promise = Promise<Value>()
    let timer = OneShotTimer(after: delay) { promise.succeed(value) }
    promise.onCancel { timer.cancel() }
    return promise.future
  }

  /// A future of the same outcome. After `limit` it fails with `error` and cancels this future. `nil` means no limit.
  public final func timeout(after limit: Duration?, error: any Error = FutureError.timedOut) -> Future {
    guard let limit else { return self }
    return Future.limited(self, by: .after(limit, value: ()), error)
  }

  /// Starts work and returns a future of its outcome. After `limit` the future fails with `error` and the work is cancelled.
  /// If the limit is zero or less, nothing is started. `nil` means no limit.
  public static func timeout(
    after limit: Duration?, error: any Error = FutureError.timedOut, _ start: () throws -> Future
  ) -> Future {
    if let limit, limit <= .zero { return Future(error: error) }
    // The timer starts before the work, because the limit includes the time that `start` takes.
    let alarm = limit.map { Future<Void>.after($0, value: ()) }
    let work: Future
    do { work = try start() } catch { work = Future(error: error) }
    return alarm.map { limited(work, by: $0, error) } ?? work
  }

  private static func limited(_ work: Future, by alarm: Future<Void>, _ error: any Error) -> Future {
    FutureCombination<Value>(
      of: [work, alarm],
      decide: { source in
        source === alarm ? .failure(error) : unsafeDowncast(source, to: Future.self).completedResult
      },
      assemble: { _ in .failure(error) })
  }

  /// Starts work until it succeeds, at most `attempts` times (at least 1). Waits `delay(n)` after the n-th failure.
  ///
  /// The outcome is the first value or the last error. A cancellation, or an error for which `isRetryable` is false, ends the
  /// attempts. The first attempt starts on the calling thread, the others on the thread where the previous one ended.
  public static func retry(
    attempts: Int, delay: @escaping @Sendable (_ failures: Int) -> Duration = { _ in .zero },
    if isRetryable: @escaping @Sendable (any Error) -> Bool = { _ in true },
    _ start: @escaping @Sendable () throws -> Future
  ) -> Future {
    precondition(attempts > 0, "retry(attempts: \(attempts)): the number of attempts must be at least 1")
    @Sendable func attempt(_ number: Int) -> Future {
      let future: Future
      do { future = try start() } catch { future = Future(error: error) }
      guard number < attempts else { return future }
      return future.flatMapError { error in
        guard isRetryable(error) else { throw error }
        let wait = delay(number)
        if wait <= .zero { return attempt(number + 1) }
        return Future<Void>.after(wait, value: ()).flatMap { attempt(number + 1) }
      }
    }
    return attempt(1)
  }
}
