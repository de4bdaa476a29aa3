import Futures
import UploadScenario

/// Futures that async code awaits. Cancelling the task cancels the awaited future.
struct AsyncValue: PartialContender {
  let name = "futures/async-value"
  let summary = "futures: awaited from async/await, all of them or one after another"
  let patterns = [Pattern.publish, .sequence]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    AwaitingTask(completion) {
      let receipts = try await Future.all(post.media, limit: limit) { service.perform(.upload($0)) }.value
      // This check is needed because a future starts its work when it is made, even in a cancelled task.
      try Task.checkCancellation()
      return try await service.createPost(post, receipts: receipts).value
    }
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    AwaitingTask(completion) {
      var receipts: [Receipt] = []
      for media in post.media {
        receipts.append(try await service.perform(.upload(media)).value)
        try Task.checkCancellation()
      }
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
