import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let pool = pool(for: priority)
    return start(on: pool, completion) {
      let receipts = try CoGroup.run(on: pool, limit: limit) { group in
        try group.map(post.media) { media in
          let prepared = try service.prepare(media)
          let url = try service.issueURL(for: prepared)
          return try service.perform(.uploadTo(url, prepared))
        }
      }
      return try service.createPost(post, receipts: receipts)
    }
  }

  /// The part of the pool that runs coroutines of a priority. The pool runs urgent coroutines first and background ones last.
  private func pool(for priority: PostPriority) -> any CoroutineScheduler {
    if let scheduler { return scheduler }
    return switch priority {
    case .low: CoroutinePool.shared.background
    case .normal: CoroutinePool.shared
    case .high: CoroutinePool.shared.urgent
    }
  }
}
