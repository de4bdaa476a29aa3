#if PromiseKit
  import PromiseKit
  import UploadScenario

  extension PromiseKitUploads {
    public func zip(
      _ post: Post, on service: some UploadService, completion: @escaping Completion
    ) -> any Cancellable {
      PromiseJob(service).run(completion) { job in
        when(fulfilled: job.author(of: post), job.place(of: post), job.audience(of: post))
          .then(on: job.queue) { author, place, audience in
            job.createPost(post, details: PostDetails(author: author, place: place, audience: audience))
          }
      }
    }
  }
#endif
