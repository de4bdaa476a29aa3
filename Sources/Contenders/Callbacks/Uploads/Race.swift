import Synchronization
import UploadScenario

extension CallbackUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post.media, completion) { service.createPost(post, receipts: $0, completion: $1) }
    @Sendable func upload(_ media: Media) {
      let race = Contest(of: job)
      let errors = Mutex<[Mirror: any Error]>([:])
      @Sendable func end(_ mirror: Mirror, _ result: Result<Receipt, any Error>) {
        switch result {
        case .success: race.end { job.end(result, startNext: upload) }
        case .failure(let error):
          let failure = errors.withLock { errors -> RaceFailure? in
            errors[mirror] = error
            guard let primary = errors[.primary], let secondary = errors[.secondary] else { return nil }
            return RaceFailure(mediaIndex: media.index, primary: primary, secondary: secondary)
          }
          if let failure { race.end { job.fail(failure) } }
        }
      }
      @Sendable func ask(_ mirror: Mirror) {
        race.start { service.perform(.uploadToMirror(media, mirror)) { end(mirror, $0) } }
      }
      ask(.primary)
      guard hedgeDelay > .zero else { return ask(.secondary) }
      race.start { Timer(after: hedgeDelay) { ask(.secondary) } }
    }
    return job.run(upload)
  }
}
