import Synchronization

/// Publishes a result that is being produced already, to every subscriber; the result is kept.
public struct Future<Output: Sendable, Failure: Error>: Publisher {
  /// What the closure answers through.
  public typealias Promise = Resolver<Output, Failure>

  private let state: FutureState<Output, Failure>

  /// - Parameter attemptToFulfill: called at once; it may keep the promise and answer later, from any thread.
  public init(_ attemptToFulfill: (Promise) -> Void) {
    let state = FutureState<Output, Failure>()
    self.state = state
    attemptToFulfill(
      Promise(
        CallbackSubscription(isArmed: true) { _, ending in
          if case .answer(let result, _) = ending { state.resolve(result) }
        }))
  }

  public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let subscription = OnceSubscription(subscriber)
    state.deliver(to: subscription)
    subscription.begin()
  }
}

/// All state is in the mutex, which is not held while a subscriber is called.
private final class FutureState<Output: Sendable, Failure: Error>: Sendable {
  private enum State {
    case pending([any FutureWaiter<Output, Failure>])
    case resolved(Result<Output, Failure>)
  }

  private let state = Mutex(State.pending([]))

  func resolve(_ result: Result<Output, Failure>) {
    let waiters: [any FutureWaiter<Output, Failure>] = state.withLock {
      guard case .pending(let waiters) = $0 else { return [] }
      $0 = .resolved(result)
      return waiters
    }
    for waiter in waiters { waiter.settle(result) }
  }

  func deliver(to waiter: any FutureWaiter<Output, Failure>) {
    let known: Result<Output, Failure>? = state.withLock {
      switch $0 {
      case .resolved(let result): return result
      case .pending(var waiters):
        $0 = .pending([])
        if waiters.count == waiters.capacity { waiters.removeAll { $0.isCancelled } }
        waiters.append(waiter)
        $0 = .pending(waiters)
        return nil
      }
    }
    if let known { waiter.settle(known) }
  }
}

private protocol FutureWaiter<Value, Failure>: AnyObject, Sendable {
  associatedtype Value
  associatedtype Failure: Error
  var isCancelled: Bool { get }
  func settle(_ result: Result<Value, Failure>)
}

extension OnceSubscription: FutureWaiter {
  fileprivate var isCancelled: Bool { gate.isClosed }

  fileprivate func settle(_ result: Result<Downstream.Input, Downstream.Failure>) {
    switch result {
    case .success(let value): succeed(value)
    case .failure(let error): fail(error)
    }
  }
}
