#if RxSwift
  import Dispatch
  import RxSwift
  import UploadScenario

  extension RxSwiftUploads {
    public func race(
      _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      RxJob(service).run(completion) { job in
        Observable.from(post.media)
          .flatMap { media in
            // In RxSwift's `amb` the first event wins, even an error. So errors are sent as elements.
            Observable.merge(
              job.attempt(media, to: .primary).asObservable(),
              job.attempt(media, to: .secondary)
                .delaySubscription(.init(hedgeDelay), scheduler: job.queue).asObservable()
            )
            .take(until: { $0.receipt != nil }, behavior: .inclusive)
            .toArray()
            .map { attempts in
              if let receipt = attempts.last?.receipt { return receipt }
              let errors = attempts.sorted { $0.mirror.rawValue < $1.mirror.rawValue }.compactMap(\.error)
              throw RaceFailure(mediaIndex: media.index, primary: errors[0], secondary: errors[1])
            }
          }
          .inOrder()
          .flatMap { job.createPost(post, receipts: $0) }
      }
    }
  }

  private struct Attempt {
    let mirror: Mirror
    var receipt: Receipt?
    var error: (any Error)?
  }

  extension RxJob {
    fileprivate func attempt(_ media: Media, to mirror: Mirror) -> Single<Attempt> {
      perform(.uploadToMirror(media, mirror))
        .map { Attempt(mirror: mirror, receipt: $0) }
        .catch { .just(Attempt(mirror: mirror, error: $0)) }
    }
  }
#endif
