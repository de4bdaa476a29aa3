#if RxSwift
  import RxSwift
  import UploadScenario

  extension RxSwiftUploads {
    public func publish(
      _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      let job = RxJob(service)
      job.run(completion) {
        Observable.from(post.media)
          .map { job.upload($0) }
          .merge(maxConcurrent: limit ?? .max)
          .inOrder()
          .flatMap { job.createPost(post, receipts: $0) }
      }
      return job
    }
  }
#endif
