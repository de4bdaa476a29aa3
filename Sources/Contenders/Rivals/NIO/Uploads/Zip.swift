#if NIO
  import NIOCore
  import UploadScenario

  extension NIOUploads {
    public func zip(
      _ post: Post, on service: some UploadService, completion: @escaping Completion
    ) -> any Cancellable {
      EventLoopJob(service).run(completion) { job in
        job.author(of: post).and(job.place(of: post)).and(job.audience(of: post))
          .flatMap { first, audience in
            job.createPost(post, details: PostDetails(author: first.0, place: first.1, audience: audience))
          }
      }
    }
  }
#endif
