import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let pool = pool(for: priority)
    return start(on: pool, completion) {
      let receipts = try CoScope.run(on: pool, limit: limit) { scope in
        try scope.map(post.media) { media in
          let prepared = try service.prepare(media)
          let url = try service.issueURL(for: prepared)
          return try service.upload(prepared, to: url)
        }
      }
      return try service.createPost(post, receipts: receipts)
    }
  }
}
