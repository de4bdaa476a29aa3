import ReactiveStreams

extension Publisher {
  /// Publishes arrays of `count` values; the last one has what is left. A failure drops what it would have had.
  ///
  /// Asks for `count` times what the downstream asks for.
  public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
    Publishers.CollectByCount(upstream: self, count: count)
  }
}

extension Publishers {
  /// Publishes arrays of a number of values.
  public struct CollectByCount<Upstream: Publisher>: Operator {
    public typealias Output = [Upstream.Output]

    public let upstream: Upstream
    /// How many values make an array.
    public let count: Int

    /// Traps when `count` is not positive.
    public init(upstream: Upstream, count: Int) {
      precondition(count > 0, "an array of values has at least one")
      self.upstream = upstream
      self.count = count
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Input<S>(downstream: subscriber, count: count))
    }

    private struct Input<Downstream: Subscriber>: Subscriber
    where Downstream.Input == [Upstream.Output], Downstream.Failure == Upstream.Failure {
      typealias Input = Upstream.Output
      typealias Failure = Upstream.Failure

      var downstream: Downstream
      let count: Int
      var values: [Upstream.Output] = []

      mutating func receive(subscription: any Subscription) {
        downstream.receive(subscription: Multiplied(upstream: subscription, count: count))
      }
      mutating func receive(_ input: Upstream.Output) -> Subscribers.Demand {
        values.append(input)
        if values.count < count { return .none }
        let full = values
        values = []
        return downstream.receive(full) * count
      }
      mutating func receive(completion: Subscribers.Completion<Upstream.Failure>) {
        if case .finished = completion, !values.isEmpty {
          downstream.receive(last: values)
        } else {
          downstream.receive(completion: completion)
        }
      }
    }

    private final class Multiplied: Subscription {
      let upstream: any Subscription
      let count: Int

      init(upstream: any Subscription, count: Int) {
        self.upstream = upstream
        self.count = count
      }

      var waitsForDemand: Bool { upstream.waitsForDemand }
      func request(_ demand: Subscribers.Demand) { upstream.request(demand * count) }
      func cancel() { upstream.cancel() }
      func cancel(then action: @escaping @Sendable () -> Void) { upstream.cancel(then: action) }
    }
  }
}
