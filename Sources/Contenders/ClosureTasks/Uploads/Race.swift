import ClosureTasks
import UploadScenario

extension ClosureTaskUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask.group(post.media) { media in
      ClosureTask.any([
        service.perform(.uploadToMirror(media, .primary)),
        service.perform(.uploadToMirror(media, .secondary)).delay(for: hedgeDelay),
      ])
      .recover { error in
        guard case ClosureTaskError.allFailed(let errors) = error else { throw error }
        throw RaceFailure(mediaIndex: media.index, primary: errors[0], secondary: errors[1])
      }
    }
    .then { service.createPost(post, receipts: $0) }
    .perform(on: nil, then: completion)
  }
}
