import Dispatch
import Synchronization
import UploadScenario

extension SwiftConcurrencyUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let receipts = try await post.media.mapConcurrently(limit: limit) { media in
        try await answer { completion in
          let call = BlockingCall(completion)
          blockingQueue.async { call.run { try service.uploadBlocking(media) } }
          return call
        }
      }
      return try await service.createPost(post, receipts: receipts)
    }
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    TaskHandle(
      Task {
        while true {
          try? await Task.sleep(for: interval)
          if Task.isCancelled { break }
          beat()
        }
      })
  }
}

/// The queue for blocking calls, which must not block the few threads of the cooperative pool. On Linux that pool uses Dispatch's
/// threads of the default QoS class, so this queue has another class.
private let blockingQueue = DispatchQueue.global(qos: .utility)

/// A blocking call, which is skipped if it is cancelled before it begins. A call that has begun cannot be stopped.
private final class BlockingCall: Cancellable {
  private let completion: Mutex<Callback<Receipt>?>

  init(_ completion: @escaping Callback<Receipt>) { self.completion = Mutex(completion) }
  func run(_ call: () throws -> Receipt) { take()?(Result { try call() }) }
  func cancel() { take()?(.failure(CancellationError())) }
  private func take() -> Callback<Receipt>? { completion.withLock { $0.take() } }
}
