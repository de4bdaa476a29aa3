#if NIO
  import NIOCore
  import UploadScenario

  extension NIOUploads {
    public func zipSerial(
      _ post: Post, on service: some UploadService, completion: @escaping Completion
    ) -> any Cancellable {
      EventLoopJob(service).run(completion) { job in
        job.author(of: post).flatMap { author in
          job.place(of: post).flatMap { place in
            job.audience(of: post).flatMap { audience in
              job.createPost(post, details: PostDetails(author: author, place: place, audience: audience))
            }
          }
        }
      }
    }
  }
#endif
