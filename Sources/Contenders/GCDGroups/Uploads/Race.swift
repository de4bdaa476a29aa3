import Synchronization
import UploadScenario

extension GCDGroupUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob()
    for media in post.media where job.error == nil {
      let race = Requests(of: job)
      let errors = Mutex<[Mirror: any Error]>([:])
      @Sendable func upload(to mirror: Mirror) {
        // Keeps the group from becoming empty, which would end the job, before the request enters the group.
        job.group.enter()
        defer { job.group.leave() }
        if race.areOver { return }
        let handle = service.upload(media, to: mirror) { result in
          switch result {
          case .success(let receipt): race.end { job.keep(receipt) }
          case .failure(let error):
            errors.withLock { $0[mirror] = error }
            let (primary, secondary) = errors.withLock { ($0[.primary], $0[.secondary]) }
            guard let primary, let secondary else { return }
            let failure = RaceFailure(mediaIndex: media.index, primary: primary, secondary: secondary)
            race.end { job.fail(failure) }
          }
        }
        race.add(handle)
      }
      upload(to: .primary)
      let hedge: @Sendable () -> Void = { upload(to: .secondary) }
      if hedgeDelay > .zero { race.add(QueueTimer(after: hedgeDelay, hedge)) } else { hedge() }
    }
    return job.notify(completion) { service.createPost(post, receipts: job.receipts, completion: $0) }
  }
}
