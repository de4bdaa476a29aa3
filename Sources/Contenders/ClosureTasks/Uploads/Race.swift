import ClosureTasks
import UploadScenario

extension ClosureTaskUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    ClosureTask.group(post.media) { [queue] media in
      ClosureTask.any([
        service.upload(media, to: .primary).ended(on: queue),
        service.upload(media, to: .secondary).ended(on: queue).delay(for: hedgeDelay),
      ])
      .recover { error in
        guard case ClosureTaskError.allFailed(let errors) = error else { throw error }
        throw RaceFailure(mediaIndex: media.index, primary: errors[0], secondary: errors[1])
      }
    }
    .then { [queue] in service.createPost(post, receipts: $0).ended(on: queue) }
    .perform(completion: completion)
  }
}
