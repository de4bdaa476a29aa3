import ReactiveStreams

/// Runs actions at once on the calling thread. Its time stands still: a timer on it ticks as long as it is asked to.
struct ImmediateScheduler: Scheduler {
  static let shared = ImmediateScheduler()

  var now: Duration { .zero }
  func schedule(_ action: @escaping @Sendable () -> Void) { action() }
  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    action()
    return AnyCancellable {}
  }
}

/// Makes a publisher for each subscriber, when it subscribes.
struct Deferred<P: Publisher>: Publisher {
  typealias Output = P.Output
  typealias Failure = P.Failure

  let create: @Sendable () -> P

  init(_ create: @escaping @Sendable () -> P) { self.create = create }

  func receive<S: Subscriber>(subscriber: S) where S.Input == P.Output, S.Failure == P.Failure {
    create().receive(subscriber: subscriber)
  }
}

/// A subscription that does nothing.
final class EmptySubscription: Subscription {
  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
}
