import Futures
import UploadScenario

extension FutureUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let publication = Future.all(post.media) { media in
      Future.any([
        service.upload(media, to: .primary),
        Future.after(hedgeDelay, value: media).flatMap { service.upload($0, to: .secondary) },
      ])
      .recover { error in
        guard case FutureError.allFailed(let errors) = error else { throw error }
        throw RaceFailure(mediaIndex: media.index, primary: errors[0], secondary: errors[1])
      }
    }
    .flatMap { service.createPost(post, receipts: $0) }
    publication.whenComplete(completion)
    return publication
  }
}
