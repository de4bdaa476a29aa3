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
      @Sendable func end(_ result: Result<Receipt, any Error>) {
        race.end { if let next = job.finish(result) { upload(next) } }
      }
      @Sendable func ask(_ mirror: Mirror) {
        race.start {
          service.perform(.uploadToMirror(media, mirror)) { result in
            guard case .failure(let error) = result else { return end(result) }
            let (primary, secondary) = errors.withLock { errors in
              errors[mirror] = error
              return (errors[.primary], errors[.secondary])
            }
            guard let primary, let secondary else { return }
            end(.failure(RaceFailure(mediaIndex: media.index, primary: primary, secondary: secondary)))
          }
        }
      }
      ask(.primary)
      guard hedgeDelay > .zero else { return ask(.secondary) }
      race.start { Timer(after: hedgeDelay) { ask(.secondary) } }
    }
    return job.run(upload)
  }
}
