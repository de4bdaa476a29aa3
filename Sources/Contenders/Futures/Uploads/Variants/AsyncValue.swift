import Futures
import UploadScenario

/// Futures awaited by asynchronous code: cancelling goes from the task to what it waits for.
struct AsyncValue: PartialContender {
  let name = "futures/async-value"
  let summary = "futures: awaited from async/await, all of them or one after another"
  let patterns = [Pattern.publish, .sequence]
  /// With a limit the next upload starts where the one before was answered.
  let goesOnInAnswers = true

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    awaiting(completion) {
      try Task.checkCancellation()
      let receipts = try await Future.all(post.media, limit: limit) { service.upload($0) }.value
      try Task.checkCancellation()
      return try await service.createPost(post, receipts: receipts).value
    }
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    awaiting(completion) {
      var receipts: [Receipt] = []
      for media in post.media {
        // A future is under way from its start, whether its task goes on or not.
        try Task.checkCancellation()
        receipts.append(try await service.upload(media).value)
      }
      try Task.checkCancellation()
      return try await service.createPost(post, receipts: receipts).value
    }
  }

  /// A task that the handle cancels; it reports when it has ended, whoever ended it.
  private func awaiting(
    _ completion: @escaping Completion, _ body: @escaping @Sendable () async throws -> Publication
  ) -> any Cancellable {
    TaskHandle(
      task: Task {
        let result: Result<Publication, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        completion(result)
      })
  }
}

private final class TaskHandle: Cancellable {
  private let task: Task<Void, Never>

  init(task: Task<Void, Never>) { self.task = task }

  func cancel() { task.cancel() }
}
