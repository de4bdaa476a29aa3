#if OpenCombine || canImport(Combine)
  #if OpenCombine
    import OpenCombine
  #else
    import Combine
  #endif
  import UploadScenario

  extension OpenCombineUploads {
    public func sequence(
      _ post: Post, to service: some UploadService, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      CombineJob(service).run(completion) { job in
        post.media.publisher
          .flatMap(maxPublishers: .max(1)) { job.upload($0) }
          .collect()
          .flatMap { job.createPost(post, receipts: $0) }
          .eraseToAnyPublisher()
      }
    }
  }
#endif
