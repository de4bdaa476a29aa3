import ReactiveStreams
import UploadScenario

/// Publishers awaited by asynchronous code: cancelling the task cancels the stream, whose end is the task's.
struct AsyncAwait: PartialContender {
  let name = "reactive-streams/async-await"
  let summary = "reactive streams: publishers awaited from async/await"
  let patterns = [Pattern.publish]
  /// With a limit the next upload starts where the one before was answered.
  let goesOnInAnswers = true

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    TaskHandle(
      task: Task {
        let result: Result<Publication, any Error>
        do {
          try Task.checkCancellation()
          let receipts = try await post.media.publisher
            .concatMapEager(maxPublishers: limit.map { .max($0) } ?? .unlimited) { service.upload($0) }
            .collect()
            .value
          try Task.checkCancellation()
          result = .success(try await service.createPost(post, receipts: receipts).value)
        } catch {
          result = .failure(error)
        }
        completion(result)
      })
  }
}

private final class TaskHandle: Cancellable {
  private let task: Task<Void, Never>

  init(task: Task<Void, Never>) { self.task = task }

  func cancel() { task.cancel() }
}
