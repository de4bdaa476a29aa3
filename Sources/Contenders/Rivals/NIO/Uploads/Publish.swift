#if NIO
  import NIOCore
  import UploadScenario

  extension NIOUploads {
    public func publish(
      _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
    ) -> any Cancellable {
      EventLoopJob(service).run(completion) { job in
        EventLoopFuture.whenAllSucceed(job.uploads(post.media, limit: limit), on: job.loop)
          .flatMap { job.createPost(post, receipts: $0) }
      }
    }
  }
#endif
