#if RxSwift
  import RxSwift
  import UploadScenario

  extension RxSwiftUploads {
    public func publish(
      _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      RxJob(service).run(completion) { job in
        Observable.from(post.media)
          .map { job.perform(.upload($0)) }
          .merge(maxConcurrent: limit ?? .max)
          .inOrder()
          .flatMap { job.createPost(post, receipts: $0) }
      }
    }
  }
#endif
