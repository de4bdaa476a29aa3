#if SwiftCoroutine
  import UploadScenario

  extension SwiftCoroutineUploads {
    public func publish(
      _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
    ) -> any Cancellable {
      CoroutineJob(service).run(completion) { job in
        try job.createPost(post, receipts: job.uploads(post.media, limit: limit))
      }
    }
  }
#endif
