#if SwiftCoroutine
  import UploadScenario

  extension SwiftCoroutineUploads {
    public func publish(
      _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
    ) -> any Cancellable {
      let job = CoroutineJob(service)
      job.run(completion) {
        try job.createPost(post, receipts: job.uploads(post.media, limit: limit))
      }
      return job
    }
  }
#endif
