#if NIO
  import NIOCore
  import UploadScenario

  extension NIOUploads {
    public func sequence(
      _ post: Post, to service: some UploadService, completion: @escaping Completion
    ) -> any Cancellable {
      EventLoopJob(service).run(completion) { job in
        var receipts: [Receipt] = []
        return post.media
          .reduce(job.loop.makeSucceededVoidFuture().assumeIsolated()) { uploaded, media in
            uploaded.flatMap { job.upload(media).assumeIsolated().map { receipts.append($0) }.nonisolated() }
          }
          .flatMap { job.createPost(post, receipts: receipts) }
          .nonisolated()
      }
    }
  }
#endif
