#if RxSwift
  import Dispatch
  import RxSwift
  import UploadScenario

  extension RxSwiftUploads {
    public func resilient(
      _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      RxJob(service).run(completion) { job in
        Observable.from(post.media)
          .flatMap { media in
            job.perform(.upload(media))
              .timeout(
                policy.attemptDeadline, error: AttemptTimedOut(mediaIndex: media.index), scheduler: job.queue
              )
              .retry { errors in
                errors.enumerated().flatMap { index, error in
                  guard index + 1 < policy.attempts, RetryPolicy.isTransient(error) else { throw error }
                  let backoff = policy.backoff(afterAttempt: index + 1, of: media)
                  return Single<Int>.timer(.init(backoff), scheduler: job.queue)
                }
              }
          }
          .inOrder()
          .flatMap { job.createPost(post, receipts: $0) }
          .timeout(policy.deadline, error: DeadlineExceeded(), scheduler: job.queue)
      }
    }
  }

  extension PrimitiveSequence where Trait == SingleTrait {
    fileprivate func timeout(
      _ duration: Duration?, error: any Error, scheduler: any SchedulerType
    ) -> Single<Element> {
      guard let duration else { return self }
      guard duration > .zero else { return .error(error).observe(on: scheduler) }
      return timeout(.init(duration), other: .error(error), scheduler: scheduler)
    }
  }
#endif
