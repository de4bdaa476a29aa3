import ReactiveStreams
import Synchronization

extension Publishers {
  /// Publishes the elements of an asynchronous sequence, pulling one for each value that is asked for.
  ///
  /// Each subscriber iterates in a task of its own that starts with the first demand and is cancelled with the
  /// subscription. Nothing is pulled ahead, so the end, too, is only found by asking for a value more than there are.
  public struct FromAsyncSequence<Elements: AsyncSequence & Sendable>: Publisher
  where Elements.Element: Sendable {
    public typealias Output = Elements.Element
    public typealias Failure = Elements.Failure

    /// Iterated anew for each subscriber.
    public let elements: Elements

    /// `publisher` of an asynchronous sequence makes it.
    public init(_ elements: Elements) { self.elements = elements }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let stage = OperatorStage(subscriber, Forwarding<S>())
      stage.begin(
        // Weak, because the stage keeps the pull: what has not been asked for anything goes with its subscriber.
        AsyncPull { [weak stage] pull in
          guard let stage else { return }
          var iterator = elements.makeAsyncIterator()
          do throws(Failure) {
            while await pull.isAskedForOne() {
              guard let element = try await iterator.next(isolation: nil) else {
                return stage.send(.completion(.finished))
              }
              stage.send(.value(element))
            }
          } catch {
            stage.send(.completion(.failure(error)))
          }
        })
    }
  }
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// A publisher of the elements.
  public var publisher: Publishers.FromAsyncSequence<Self> { Publishers.FromAsyncSequence(self) }
}

/// A task that does one step per value asked for.
private final class AsyncPull: Subscription {
  private struct State {
    var demand = Subscribers.Demand.none
    var isCancelled = false
    /// What is left to start.
    var run: (@Sendable (AsyncPull) async -> Void)?
    var task: Task<Void, Never>?
    /// The task, waiting for demand.
    var waiting: CheckedContinuation<Bool, Never>?
  }

  private let state: Mutex<State>

  init(_ run: @escaping @Sendable (AsyncPull) async -> Void) { state = Mutex(State(run: run)) }

  /// Takes one of what was asked for, or waits for it; false when there is nothing more to do.
  func isAskedForOne() async -> Bool {
    await withCheckedContinuation { continuation in
      let answer: Bool? = state.withLock {
        if $0.isCancelled { return false }
        if $0.demand == .none {
          $0.waiting = continuation
          return nil
        }
        $0.demand -= .max(1)
        return true
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  func request(_ asked: Subscribers.Demand) {
    guard asked > .none else { return }
    let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if state.isCancelled { return nil }
      state.demand += asked
      if let run = state.run.take() { state.task = Task { await run(self) } }
      guard let waiting = state.waiting.take() else { return nil }
      state.demand -= .max(1)
      return waiting
    }
    waiting?.resume(returning: true)
  }

  var waitsForDemand: Bool { true }

  func cancel() {
    let (task, waiting, run) = state.withLock {
      $0.isCancelled = true
      return ($0.task.take(), $0.waiting.take(), $0.run.take())
    }
    withExtendedLifetime(run) {}
    task?.cancel()
    waiting?.resume(returning: false)
  }
}

/// Sends on what comes.
private struct Forwarding<Downstream: Subscriber>: OperatorLogic {
  static var passesDemand: Bool { true }

  /// Thread Sanitizer takes an access to a variable without a size for one to the header of the object that it is in.
  private let size: UInt8 = 1

  mutating func receive(_ input: Downstream.Input, _ stage: OperatorStage<Self>) { stage.forward(input) }
}
