import Dispatch
import UploadScenario

extension CallbackUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let races = Races(receipts: Receipts(count: post.media.count))
    let job = CallbackJob(
      post, service: service, places: 2 * post.media.count, progress: races, completion: completion)
    if post.media.isEmpty { job.step { _ in .createPost } }
    job.work {
      job.ask(.primary)
      if hedgeDelay <= .zero { return job.ask(.secondary) }
      // All primaries have been asked by now, so one alarm serves all secondaries.
      job.set(
        \.alarm, Alarm { job.work { job.ask(.secondary) } }, at: .now() + DispatchTimeInterval(hedgeDelay))
    }
    return job
  }
}

private struct Races: UploadProgress {
  var receipts: Receipts
  var firstErrors: [Int: any Error] = [:]

  func isOpen(_ index: Int) -> Bool { receipts.isMissing(index) }

  /// The failure of a race that nobody can win any more.
  mutating func lose(_ index: Int, _ mirror: Mirror, _ error: any Error) -> RaceFailure? {
    guard isOpen(index) else { return nil }
    guard let first = firstErrors.updateValue(error, forKey: index) else { return nil }
    return mirror == .secondary
      ? RaceFailure(mediaIndex: index, primary: first, secondary: error)
      : RaceFailure(mediaIndex: index, primary: error, secondary: first)
  }
}

extension CallbackJob where Progress == Races {
  fileprivate func ask(_ mirror: Mirror) {
    for media in post.media {
      let index = media.index
      request(
        at: 2 * index + mirror.rawValue, if: { $0.isOpen(index) },
        { service.upload(media, to: mirror, completion: $0) }
      ) { races, result in
        switch result {
        case .success(let receipt):
          let loser = 2 * index + 1 - mirror.rawValue
          return races.receipts.add(receipt, at: index) ? .abandonAndCreatePost(loser) : .abandon(loser)
        case .failure(let error):
          return races.lose(index, mirror, error).map { .fail($0) } ?? .wait
        }
      }
    }
  }
}
