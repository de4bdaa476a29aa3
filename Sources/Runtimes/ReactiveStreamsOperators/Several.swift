import ReactiveStreams

/// Merging more than two.
extension Publisher {
  /// The result of merging publishers of several types.
  public typealias Merged = Publishers.MergeMany<AnyPublisher<Output, Failure>>

  /// Publishes the values of this publisher and of all others as they come.
  public func merge(with others: any Publisher<Output, Failure>...) -> Merged {
    ([eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() }).merge()
  }
}

/// Elements before and behind.
extension Publisher {
  /// Publishes these values when this publisher has finished.
  public func append(_ elements: Output...) -> Merged { append(elements) }

  /// Publishes the values of a sequence when this publisher has finished.
  public func append<S: Sequence & Sendable>(_ elements: S) -> Merged where S.Element == Output {
    append(elements.publisher.setFailureType(to: Failure.self))
  }

  /// Publishes these values, then those of this publisher.
  public func prepend(_ elements: Output...) -> Merged { prepend(elements) }

  /// Publishes the values of a sequence, then those of this publisher.
  public func prepend<S: Sequence & Sendable>(_ elements: S) -> Merged where S.Element == Output {
    prepend(elements.publisher.setFailureType(to: Failure.self))
  }
}

extension Publishers.FlatMap
where Upstream == Publishers.SetFailureType<Publishers.Sequence<[Inner], Never>, Inner.Failure> {
  /// Merges these publishers: `Publishers.MergeMany(a, b, c)`.
  public init(_ upstream: Inner...) { self.init(upstream) }

  /// Merges these publishers.
  public init(_ upstream: some Sequence<Inner>) { self = Array(upstream).merge() }
}

/// What is made of pairs, triples and quadruples.
extension Publisher {
  /// Publishes what `transform` makes of one value of each.
  public func zip<B: Publisher, T: Sendable>(
    _ b: B, _ transform: @escaping @Sendable (Output, B.Output) -> T
  ) -> some Publisher<T, Failure> where B.Failure == Failure {
    zip(b).map { transform($0.0, $0.1) }
  }

  /// Publishes what `transform` makes of one value of each.
  public func zip<B: Publisher, C: Publisher, T: Sendable>(
    _ b: B, _ c: C, _ transform: @escaping @Sendable (Output, B.Output, C.Output) -> T
  ) -> some Publisher<T, Failure> where B.Failure == Failure, C.Failure == Failure {
    zip(b, c).map { transform($0.0, $0.1, $0.2) }
  }

  /// Publishes what `transform` makes of one value of each.
  public func zip<B: Publisher, C: Publisher, D: Publisher, T: Sendable>(
    _ b: B, _ c: C, _ d: D, _ transform: @escaping @Sendable (Output, B.Output, C.Output, D.Output) -> T
  ) -> some Publisher<T, Failure> where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
    zip(b, c, d).map { transform($0.0, $0.1, $0.2, $0.3) }
  }

  /// Publishes what `transform` makes of the latest values, each time one of the publishers has sent one.
  public func combineLatest<B: Publisher, T: Sendable>(
    _ b: B, _ transform: @escaping @Sendable (Output, B.Output) -> T
  ) -> some Publisher<T, Failure> where B.Failure == Failure {
    combineLatest(b).map { transform($0.0, $0.1) }
  }

  /// Publishes what `transform` makes of the latest values, each time one of the publishers has sent one.
  public func combineLatest<B: Publisher, C: Publisher, T: Sendable>(
    _ b: B, _ c: C, _ transform: @escaping @Sendable (Output, B.Output, C.Output) -> T
  ) -> some Publisher<T, Failure> where B.Failure == Failure, C.Failure == Failure {
    combineLatest(b, c).map { transform($0.0, $0.1, $0.2) }
  }

  /// Publishes what `transform` makes of the latest values, each time one of the publishers has sent one.
  public func combineLatest<B: Publisher, C: Publisher, D: Publisher, T: Sendable>(
    _ b: B, _ c: C, _ d: D, _ transform: @escaping @Sendable (Output, B.Output, C.Output, D.Output) -> T
  ) -> some Publisher<T, Failure> where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
    combineLatest(b, c, d).map { transform($0.0, $0.1, $0.2, $0.3) }
  }
}
