import ReactiveStreams

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
