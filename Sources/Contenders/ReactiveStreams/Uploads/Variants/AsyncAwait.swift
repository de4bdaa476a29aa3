import ReactiveStreams
import UploadScenario

/// Publishers that async code awaits. Cancelling the task cancels the awaited stream.
struct AsyncAwait: PartialContender {
  let name = "reactive-streams/async-await"
  let summary = "reactive streams: publishers awaited from async/await"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    AwaitingTask(completion) {
      let receipts = try await post.media.publisher
        .concatMapEager(maxPublishers: .atMost(limit)) { service.perform(.upload($0)) }
        .collect()
        .value
      // This check is needed because a publisher starts its work even in a cancelled task.
      try Task.checkCancellation()
      return try await service.createPost(post, receipts: receipts).value
    }
  }
}

private final class AwaitingTask: Cancellable {
  private let task: Task<Void, Never>

  init(_ completion: @escaping Completion, _ body: @escaping @Sendable () async throws -> Publication) {
    task = Task {
      do {
        try Task.checkCancellation()
        let publication = try await body()
        completion(.success(publication))
      } catch {
        completion(.failure(error))
      }
    }
  }

  func cancel() { task.cancel() }
}
