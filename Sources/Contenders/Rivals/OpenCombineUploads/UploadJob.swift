#if OpenCombine
  import OpenCombine
  import Synchronization
  import UploadScenario

  /// One post on its way: a subscription that lives until its completion is called.
  ///
  /// A cancelled stream says nothing more, so it is the job that then calls the completion.
  final class UploadJob: UploadScenario.Cancellable {
    private struct State: @unchecked Sendable {
      // Invariant: a subscription is only cancelled and let go, which OpenCombine guards with locks of its own.
      var subscription: AnyCancellable?
      var completion: Completion?
    }

    private let state: Mutex<State>

    init(_ publication: some Publisher<Publication, any Error>, completion: @escaping Completion) {
      state = Mutex(State(completion: completion))
      let subscription = publication.sink { end in
        if case .failure(let error) = end { self.finish(.failure(error)) }
      } receiveValue: {
        self.finish(.success($0))
      }
      let started = State(subscription: subscription)
      state.withLock { state in
        if state.completion != nil { state.subscription = started.subscription }
      }
    }

    func cancel() { finish(.failure(CancellationError())) }

    /// Cancels what is left of the stream, which is nothing unless it is the job that was cancelled.
    private func finish(_ result: Result<Publication, any Error>) {
      let ended = state.withLock { state in
        defer { state = State() }
        return state
      }
      ended.subscription?.cancel()
      ended.completion?(result)
    }
  }
#endif
