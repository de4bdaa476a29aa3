#if RxSwift
  import Dispatch
  import RxSwift
  import UploadScenario

  extension RxSwiftUploads {
    public func presigned(
      _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
      completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      let background = ConcurrentDispatchQueueScheduler(queue: .global(qos: .init(priority)))
      return RxJob(service).run(completion) { job in
        Observable.from(post.media)
          .map { media in
            Single.deferred { .just(try service.prepare(media)) }
              .subscribe(on: background)
              .observe(on: job.queue)
              .flatMap { prepared in
                job.issueURL(for: prepared).flatMap { job.perform(.uploadTo($0, prepared)) }
              }
          }
          .merge(maxConcurrent: limit ?? .max)
          .inOrder()
          .flatMap { job.createPost(post, receipts: $0) }
      }
    }
  }
#endif
