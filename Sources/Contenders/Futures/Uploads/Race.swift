import Futures
import UploadScenario

extension FutureUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let publication = Future.all(post.media) { [queue] media in
      Future.any([
        service.upload(media, to: .primary).delivered(on: queue),
        Future.after(hedgeDelay, value: media).flatMap {
          service.upload($0, to: .secondary).delivered(on: queue)
        },
      ])
      .recover { error in
        guard case FutureError.allFailed(let errors) = error else { throw error }
        throw RaceFailure(mediaIndex: media.index, primary: errors[0], secondary: errors[1])
      }
    }
    .flatMap { [queue] in service.createPost(post, receipts: $0).delivered(on: queue) }
    publication.whenComplete(completion)
    return publication
  }
}
