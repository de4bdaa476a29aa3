#if SwiftCoroutine
  import UploadScenario

  extension SwiftCoroutineUploads {
    public func zip(
      _ post: Post, on service: some UploadService, completion: @escaping Completion
    ) -> any Cancellable {
      CoroutineJob(service).run(completion) { job in
        let (author, place, audience) = (job.author(of: post), job.place(of: post), job.audience(of: post))
        let details = try PostDetails(
          author: author.await(), place: place.await(), audience: audience.await())
        return try job.createPost(post, details: details)
      }
    }
  }
#endif
