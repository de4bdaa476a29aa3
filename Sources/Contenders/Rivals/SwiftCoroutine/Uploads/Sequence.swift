#if SwiftCoroutine
  import UploadScenario

  extension SwiftCoroutineUploads {
    public func sequence(
      _ post: Post, to service: some UploadService, completion: @escaping Completion
    ) -> any Cancellable {
      CoroutineJob(service).run(completion) { job in
        try job.createPost(post, receipts: post.media.map { try job.upload($0).await() })
      }
    }
  }
#endif
