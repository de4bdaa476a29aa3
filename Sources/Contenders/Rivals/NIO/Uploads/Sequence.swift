#if NIO
  import NIOCore
  import UploadScenario

  extension NIOUploads {
    public func sequence(
      _ post: Post, to service: some UploadService, completion: @escaping Completion
    ) -> any Cancellable {
      EventLoopJob(service).run(completion) { job in
        job.uploads(post.media, limit: 1).flatMap { job.createPost(post, receipts: $0) }
      }
    }
  }
#endif
