#if OpenCombine || canImport(Combine)
  #if OpenCombine
    import OpenCombine
  #else
    import Combine
  #endif
  import UploadScenario

  extension OpenCombineUploads {
    public func publish(
      _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      CombineJob(service).run(completion) { job in
        post.media.publisher
          .flatMap(maxPublishers: limit.map { .max($0) } ?? .unlimited) { job.upload($0) }
          .collect()
          .map { $0.sorted { $0.mediaIndex < $1.mediaIndex } }
          .flatMap { job.createPost(post, receipts: $0) }
          .eraseToAnyPublisher()
      }
    }
  }
#endif
