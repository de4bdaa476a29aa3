#if SwiftCoroutine
  import UploadScenario

  extension SwiftCoroutineUploads {
    public func zipSerial(
      _ post: Post, on service: some UploadService, completion: @escaping Completion
    ) -> any Cancellable {
      CoroutineJob(service).run(completion) { job in
        let details = try PostDetails(
          author: job.author(of: post).await(), place: job.place(of: post).await(),
          audience: job.audience(of: post).await())
        return try job.createPost(post, details: details)
      }
    }
  }
#endif
