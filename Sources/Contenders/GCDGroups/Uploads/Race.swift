import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupUploadJob(post, service: service, completion: completion)
    job.run { for media in post.media { job.race(media, hedgeDelay: hedgeDelay) } }
    return job
  }
}

/// Who races for a media file, by number, and who has failed. Invariant: touched on the job's queue only.
private final class Racers: @unchecked Sendable {
  var numbers: [Int] = []
  var errors: [Mirror: any Error] = [:]
}

extension GroupUploadJob {
  fileprivate func race(_ media: Media, hedgeDelay: Duration) {
    let racers = Racers()
    enter(media)
    ask(.primary, for: media, racers)
    guard hedgeDelay > .zero else { return ask(.secondary, for: media, racers) }
    racers.numbers.append(after(hedgeDelay) { self.ask(.secondary, for: media, racers) })
  }

  private func ask(_ mirror: Mirror, for media: Media, _ racers: Racers) {
    let number = request({ service.upload(media, to: mirror, completion: $0) }) { result in
      switch result {
      case .success:
        for other in racers.numbers { self.abandon(other) }
        self.keep(result, at: media.index)
        self.leave(media)
      case .failure(let error):
        racers.errors[mirror] = error
        guard let primary = racers.errors[.primary], let secondary = racers.errors[.secondary] else { return }
        self.fail(RaceFailure(mediaIndex: media.index, primary: primary, secondary: secondary))
      }
    }
    racers.numbers.append(number)
  }
}
