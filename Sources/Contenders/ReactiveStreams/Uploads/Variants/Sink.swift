import ReactiveStreams
import Synchronization
import UploadScenario

/// A sink whose cancellable is kept in a set, as a view model keeps it.
struct Sink: PartialContender {
  let name = "reactive-streams/sink"
  let summary = "reactive streams: a sink, its cancellable kept in a set"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let model = PostModel(completion)
    model.keep(
      post.media.publisher
        .concatMapEager(maxPublishers: limit.map { .max($0) } ?? .unlimited) { service.upload($0) }
        .collect()
        .flatMap { service.createPost(post, receipts: $0) }
        .sink { end in
          if case .failure(let error) = end { model.finish(.failure(error)) }
        } receiveValue: { publication in
          model.finish(.success(publication))
        })
    return model
  }
}

/// Owns what is under way: a sink that is cancelled says nothing, so its owner does.
private final class PostModel: Cancellable {
  private struct State {
    var completion: Completion?
    var cancellables: Set<AnyCancellable> = []
  }

  private let state: Mutex<State>

  init(_ completion: @escaping Completion) { state = Mutex(State(completion: completion)) }

  /// Keeps it until the end, unless that has come already.
  func keep(_ cancellable: AnyCancellable) {
    state.withLock { if $0.completion != nil { cancellable.store(in: &$0.cancellables) } }
  }

  func finish(_ result: Result<Publication, any Error>) {
    let (completion, cancellables) = state.withLock { state in
      defer { (state.completion, state.cancellables) = (nil, []) }
      return (state.completion, state.cancellables)
    }
    completion?(result)
    withExtendedLifetime(cancellables) {}
  }

  func cancel() {
    for cancellable in state.withLock({ $0.cancellables }) {
      cancellable.cancel { self.finish(.failure(CancellationError())) }
    }
  }
}
