import Synchronization
import UploadScenario

extension GCDGroupUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob(post, service: service, on: queue, completion: completion)
    return job.run { job.race(post.media[$0], hedgeDelay: hedgeDelay) }
  }
}

extension GroupJob where Progress == Receipts {
  fileprivate func race(_ media: Media, hedgeDelay: Duration) {
    guard let primary = open(), let secondary = open(), let hedge = open() else { return }
    let errors = Mutex<[Mirror: any Error]>([:])
    @Sendable func ask(_ mirror: Mirror, as number: Int) {
      guard isOpen(number) else { return }
      request(as: number, { service.upload(media, to: mirror, completion: $0) }) { receipt in
        for racer in [primary, secondary, hedge] { self.callOff(racer) }
        self.change { _ = $0.keep(receipt, at: media.index) }
      } orElse: { error in
        let errors = errors.withLock { errors in
          errors[mirror] = error
          return errors
        }
        guard let primary = errors[.primary], let secondary = errors[.secondary] else { return }
        self.fail(RaceFailure(mediaIndex: media.index, primary: primary, secondary: secondary))
      }
    }
    ask(.primary, as: primary)
    guard hedgeDelay > .zero else {
      callOff(hedge)
      return ask(.secondary, as: secondary)
    }
    after(hedgeDelay, as: hedge) { ask(.secondary, as: secondary) }
  }
}
