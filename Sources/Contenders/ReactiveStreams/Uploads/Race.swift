import Dispatch
import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    post.media.publisher
      .concatMapEager { [queue] media in
        service.upload(media, to: .primary).receive(on: queue).any(
          with: service.upload(media, to: .secondary).receive(on: queue)
            .delaySubscription(for: hedgeDelay, scheduler: queue ?? .global())
        ) { RaceFailure(mediaIndex: media.index, primary: $0, secondary: $1) }
      }
      .collect()
      .flatMap { [queue] in service.createPost(post, receipts: $0).receive(on: queue) }
      .subscribe(receiveResult: completion)
  }
}
