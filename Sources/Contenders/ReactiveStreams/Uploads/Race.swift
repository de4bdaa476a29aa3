import Dispatch
import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    post.media.publisher
      .concatMapEager { media in
        service.perform(.uploadToMirror(media, .primary)).any(
          with: service.perform(.uploadToMirror(media, .secondary))
            .delaySubscription(for: hedgeDelay, scheduler: DispatchQueue.global())
        ) { RaceFailure(mediaIndex: media.index, primary: $0, secondary: $1) }
      }
      .collect()
      .flatMap { service.createPost(post, receipts: $0) }
      .subscribe(receiveResult: completion)
  }
}
