import Coroutines
import UploadScenario

extension CoroutineUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: pool, completion) { [pool, timer] in
      let receipts = try CoGroup.run(on: pool) { group in
        try group.map(post.media) { media in
          do {
            return try CoGroup.any(
              { try service.perform(.uploadToMirror(media, .primary)) },
              {
                try Coroutine.delay(hedgeDelay, on: timer)
                return try service.perform(.uploadToMirror(media, .secondary))
              })
          } catch let failed as AllFuturesFailed {
            throw RaceFailure(mediaIndex: media.index, primary: failed.errors[0], secondary: failed.errors[1])
          }
        }
      }
      return try service.createPost(post, receipts: receipts)
    }
  }
}
