#if RxSwift
  import Dispatch
  import RxSwift
  import UploadScenario

  extension RxSwiftUploads {
    public func blocking(
      _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      // The QoS class differs from that of the job's queue, so that blocking calls do not occupy the threads of that queue.
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
    // Invariant: the only use of `subscription` is `dispose`, which any thread may call.
    private let subscription: any Disposable

    init(_ subscription: any Disposable) { self.subscription = subscription }

    func cancel() { subscription.dispose() }
  }
#endif
