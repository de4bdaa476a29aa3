#if OpenCombine
  import OpenCombine
  import UploadScenario

  extension OpenCombineUploads {
    public func sequence(
      _ post: Post, to service: some UploadService, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      let receipts = post.media.publisher
        .flatMap(maxPublishers: .max(1)) { service.upload($0) }
        .collect()
      return UploadJob(
        receipts.flatMap { service.createPost(post, receipts: $0) }, completion: completion)
    }
  }
#endif
