#if NIO
  import NIOCore
  import UploadScenario

  extension NIOUploads {
    public func publish(
      _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
    ) -> any Cancellable {
      EventLoopJob(service).run(completion) { job in
        job.uploads(post.media, limit: limit).flatMap { job.createPost(post, receipts: $0) }
      }
    }
  }
#endif
