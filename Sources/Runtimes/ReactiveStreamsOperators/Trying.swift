import ReactiveStreams

/// Operators whose closures may throw, which ends the stream with what is thrown.
extension Publisher {
  /// Publishes the values for which the closure is true.
  public func tryFilter(
    _ isIncluded: @escaping @Sendable (Output) throws -> Bool
  ) -> some Publisher<Output, any Error> {
    tryCompactMap { try isIncluded($0) ? $0 : nil }
  }

  /// Publishes what the closure makes of the values, but for nil.
  public func tryCompactMap<T: Sendable>(
    _ transform: @escaping @Sendable (Output) throws -> T?
  ) -> some Publisher<T, any Error> {
    tryMap(transform).compactMap { $0 }
  }

  /// Publishes, for each value, what the closure makes of it and of what it made of the one before.
  public func tryScan<T: Sendable>(
    _ initial: T, _ next: @escaping @Sendable (T, Output) throws -> T
  ) -> some Publisher<T, any Error> {
    scan(Result<T, any Error>.success(initial)) { last, value in Result { try next(last.get(), value) } }
      .tryMap { try $0.get() }
  }

  /// Publishes what the closure makes of all values, one after another, when this publisher finishes.
  public func tryReduce<T: Sendable>(
    _ initial: T, _ next: @escaping @Sendable (T, Output) throws -> T
  ) -> some Publisher<T, any Error> {
    tryScan(initial, next).reduce(initial) { $1 }
  }

  /// Publishes the values but for each that the closure finds the same as the one before.
  public func tryRemoveDuplicates(
    by isSame: @escaping @Sendable (Output, Output) throws -> Bool
  ) -> some Publisher<Output, any Error> {
    tryScan((last: Output?.none, isNew: true)) { seen, value in
      (value, try seen.last.map { try !isSame($0, value) } ?? true)
    }
    .compactMap { $0.isNew ? $0.last : nil }
  }

  /// Drops values as long as the closure is true for them.
  public func tryDrop(
    while predicate: @escaping @Sendable (Output) throws -> Bool
  ) -> some Publisher<Output, any Error> {
    tryScan((value: Output?.none, isDropping: true)) { seen, value in
      (value, try seen.isDropping && predicate(value))
    }
    .compactMap { $0.isDropping ? nil : $0.value }
  }

  /// Publishes values as long as the closure is true for them, then finishes and cancels this publisher.
  public func tryPrefix(
    while predicate: @escaping @Sendable (Output) throws -> Bool
  ) -> some Publisher<Output, any Error> {
    tryMap { (value: $0, isIn: try predicate($0)) }.prefix { $0.isIn }.map(\.value)
  }

  /// Publishes the first value for which the closure is true; none of none.
  public func tryFirst(
    where predicate: @escaping @Sendable (Output) throws -> Bool
  ) -> some Publisher<Output, any Error> {
    tryFilter(predicate).first()
  }

  /// Publishes the last value for which the closure is true, when this publisher finishes; none of none.
  public func tryLast(
    where predicate: @escaping @Sendable (Output) throws -> Bool
  ) -> some Publisher<Output, any Error> {
    tryFilter(predicate).last()
  }

  /// Publishes whether the closure is true for one value at least.
  public func tryContains(
    where predicate: @escaping @Sendable (Output) throws -> Bool
  ) -> some Publisher<Bool, any Error> {
    tryMap(predicate).contains(true)
  }

  /// Publishes whether the closure is true for every value.
  public func tryAllSatisfy(
    _ predicate: @escaping @Sendable (Output) throws -> Bool
  ) -> some Publisher<Bool, any Error> {
    tryMap(predicate).allSatisfy { $0 }
  }

  /// Publishes the smallest value, the first of equal ones, when this publisher finishes; none of none.
  public func tryMin(
    by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws -> Bool
  ) -> some Publisher<Output, any Error> {
    tryBest { try areInIncreasingOrder($1, $0) }
  }

  /// Publishes the greatest value, the first of equal ones, when this publisher finishes; none of none.
  public func tryMax(
    by areInIncreasingOrder: @escaping @Sendable (Output, Output) throws -> Bool
  ) -> some Publisher<Output, any Error> {
    tryBest { try areInIncreasingOrder($0, $1) }
  }

  private func tryBest(
    _ isBeaten: @escaping @Sendable (Output, Output) throws -> Bool
  ) -> some Publisher<Output, any Error> {
    tryReduce(Output?.none) { best, value in try best.map { try isBeaten($0, value) ? value : $0 } ?? value }
      .compactMap { $0 }
  }

  /// Goes over to the publisher that the closure makes of a failure.
  public func tryCatch<P: Publisher>(
    _ handler: @escaping @Sendable (Failure) throws -> P
  ) -> some Publisher<Output, any Error> where P.Output == Output {
    `catch` { failure -> AnyPublisher<Output, any Error> in
      do {
        return try handler(failure).mapError { $0 }.eraseToAnyPublisher()
      } catch {
        return Fail(error: error).eraseToAnyPublisher()
      }
    }
  }
}

extension Publisher {
  /// Publishes this value in place of each that is nil.
  public func replaceNil<T: Sendable>(with output: T) -> Publishers.Map<Self, T> where Output == T? {
    map { $0 ?? output }
  }

  /// Publishes this value if this publisher finishes without any.
  public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
    Publishers.ReplaceEmpty(upstream: self, output: output)
  }

  /// Publishes the end alone; asks for everything on first demand.
  public func ignoreOutput() -> some Publisher<Never, Failure> {
    reduce(()) { _, _ in }.compactMap { _ -> Never? in nil }
  }
}

extension Publishers {
  /// Publishes a value of its own if the upstream finishes without any.
  public struct ReplaceEmpty<Upstream: Publisher>: Operator {
    public let upstream: Upstream
    /// What is published in place of no value.
    public let output: Upstream.Output

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let input = RelayInput<S, Failure>.begin(subscriber) { [output] last, completion in
        guard case .finished = completion, last.produced == 0 else { return last.end(completion) }
        Just(output).setFailureType(to: Failure.self).receive(subscriber: last.successor { $0.end($1) })
      }
      upstream.receive(subscriber: input)
    }
  }
}
