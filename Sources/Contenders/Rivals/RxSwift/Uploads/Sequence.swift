#if RxSwift
  import RxSwift
  import UploadScenario

  extension RxSwiftUploads {
    public func sequence(
      _ post: Post, to service: some UploadService, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      RxJob(service).run(completion) { job in
        Observable.from(post.media)
          .concatMap { job.perform(.upload($0)) }
          .toArray()
          .flatMap { job.createPost(post, receipts: $0) }
      }
    }
  }
#endif
