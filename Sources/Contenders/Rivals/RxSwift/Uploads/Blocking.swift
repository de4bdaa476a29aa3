#if RxSwift
  import Dispatch
  import RxSwift
  import UploadScenario

  extension RxSwiftUploads {
    public func blocking(
      _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      // Not the class of the job's queue, whose threads would be blocked.
      let background = ConcurrentDispatchQueueScheduler(queue: .global(qos: .utility))
      return RxJob(service).run(completion) { job in
        Observable.from(post.media)
          .map { media in
            Single.deferred { .just(try service.uploadBlocking(media)) }
              .subscribe(on: background)
              .observe(on: job.queue)
          }
          .merge(maxConcurrent: limit ?? .max)
          .inOrder()
          .flatMap { job.createPost(post, receipts: $0) }
      }
    }

    public func heartbeat(
      every interval: Duration, _ beat: @escaping @Sendable () -> Void
    ) -> any UploadScenario.Cancellable {
      let beats = Observable<Int>
        .interval(.init(interval), scheduler: ConcurrentDispatchQueueScheduler(queue: .global()))
        .subscribe(onNext: { _ in beat() })
      return Subscription(beats)
    }
  }

  private final class Subscription: UploadScenario.Cancellable, @unchecked Sendable {
    // Invariant: a subscription is only disposed of, which RxSwift itself guards.
    private let subscription: any Disposable

    init(_ subscription: any Disposable) { self.subscription = subscription }

    func cancel() { subscription.dispose() }
  }
#endif
