import Synchronization
import UploadScenario

extension OperationUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob()
    let uploads = post.media.map { media in
      AsynchronousOperation<Receipt>(of: job) { race in
        let errors = Mutex<[Mirror: any Error]>([:])
        @Sendable func upload(to mirror: Mirror) {
          race.request({ service.upload(media, to: mirror, completion: $0) }) { result in
            guard case .failure(let error) = result else { return race.finish(with: result) }
            errors.withLock { $0[mirror] = error }
            let (primary, secondary) = errors.withLock { ($0[.primary], $0[.secondary]) }
            guard let primary, let secondary else { return }
            job.fail(RaceFailure(mediaIndex: media.index, primary: primary, secondary: secondary))
          }
        }
        upload(to: .primary)
        guard hedgeDelay > .zero else { return upload(to: .secondary) }
        race.request({ Alarm(after: hedgeDelay, $0) }) { _ in upload(to: .secondary) }
      }
    }
    return job.run(uploads, completion) { service.createPost(post, receipts: uploads.values, completion: $0) }
  }
}
