import Dispatch
import Synchronization
import UploadScenario

extension SwiftConcurrencyUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: executor, completion) {
      let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
        var receipts = [Receipt?](repeating: nil, count: post.media.count)
        for media in post.media {
          if media.index >= limit ?? .max, let receipt = try await group.next() {
            receipts[receipt.mediaIndex] = receipt
          }
          group.addTask { try await awaitBlocking { try service.uploadBlocking(media) } }
        }
        for try await receipt in group { receipts[receipt.mediaIndex] = receipt }
        return receipts.compactMap { $0 }
      }
      return try await service.createPost(post, receipts: receipts)
    }
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    TaskHandle(
      task: Task(executorPreference: executor) {
        while (try? await Task.sleep(for: interval)) != nil, !Task.isCancelled { beat() }
      },
      executor: executor)
  }
}

/// Never in the cooperative pool, whose few threads all tasks share, and not on Dispatch's default queue either, because
/// on Linux those threads are its own: on a queue of another class. That has as many threads as there are cores, and on
/// Linux one more a second for as long as they stay blocked.
private func awaitBlocking(_ call: @escaping @Sendable () throws -> Receipt) async throws -> Receipt {
  try await cancellable { completion in
    let blockingCall = BlockingCall(completion)
    DispatchQueue.global(qos: .utility).async { blockingCall.run(call) }
    return blockingCall
  }
}

/// A call that is never made once it is cancelled, and that nothing stops once it has begun.
private final class BlockingCall: Cancellable {
  /// Let go of when it is taken: it leads to the request, which holds this handle.
  private let completion: Mutex<Callback<Receipt>?>

  init(_ completion: @escaping Callback<Receipt>) {
    self.completion = Mutex(completion)
  }

  func run(_ call: () throws -> Receipt) {
    if let completion = completion.withLock({ $0.take() }) { completion(Result { try call() }) }
  }

  func cancel() {
    if let completion = completion.withLock({ $0.take() }) { completion(.failure(CancellationError())) }
  }
}
