#if OpenCombine
  import OpenCombine
  import UploadScenario

  extension OpenCombineUploads {
    public func publish(
      _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      // The receipts come as they arrive. A zip would keep their order, but OpenCombine's aborts the process when
      // its futures are fulfilled on several threads.
      let receipts = post.media.publisher
        .flatMap(maxPublishers: limit.map { .max($0) } ?? .unlimited) { service.upload($0) }
        .collect()
        .map { $0.sorted { $0.mediaIndex < $1.mediaIndex } }
      return UploadJob(
        receipts.flatMap { service.createPost(post, receipts: $0) }, completion: completion)
    }
  }
#endif
