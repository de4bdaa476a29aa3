import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let lane = lane(for: priority)
    // Those on a queue leave it to compute.
    let (home, away) = areOnQueue ? (pool, lane) : (lane, nil)
    return start(on: home, completion) {
      let receipts = try CoScope.run(on: home, limit: limit) { scope in
        try scope.map(post.media) { media in
          if let away { Coroutine.move(to: away) }
          let prepared = try service.prepare(media)
          if away != nil { Coroutine.move(to: home) }
          let url = try service.issueURL(for: prepared)
          return try service.upload(prepared, to: url)
        }
      }
      return try service.createPost(post, receipts: receipts)
    }
  }
}
