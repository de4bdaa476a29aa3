import Futures
import UploadScenario

extension FutureUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    Future.all(post.media) { media in
      Future.any([
        service.perform(.uploadToMirror(media, .primary)),
        Future.after(hedgeDelay, value: ()).flatMap { service.perform(.uploadToMirror(media, .secondary)) },
      ])
      .recover { error in
        guard case FutureError.allFailed(let errors) = error else { throw error }
        throw RaceFailure(mediaIndex: media.index, primary: errors[0], secondary: errors[1])
      }
    }
    .flatMap { service.createPost(post, receipts: $0) }
    .report(to: completion)
  }
}
