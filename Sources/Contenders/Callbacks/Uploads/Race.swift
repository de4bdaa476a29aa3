import UploadScenario

extension CallbackUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, missing: post.media.count, completion)
    post.media.forEach { job.upload($0, to: .primary) }
    // All primaries have been asked by now, so one timer serves all secondaries.
    let askSecondaries = { @Sendable in post.media.forEach { job.upload($0, to: .secondary) } }
    if hedgeDelay > .zero { job.keep(Timer(after: hedgeDelay, askSecondaries)) } else { askSecondaries() }
    return job.run { _ in }
  }
}

/// The requests for one media file, and the errors of those that failed.
struct Race: Sendable {
  var requests: [any Cancellable] = []
  var errors: [Mirror: any Error] = [:]
}

extension Job {
  /// The first success wins, and cancels both requests. When both have failed, so has the job.
  fileprivate func upload(_ media: Media, to mirror: Mirror) {
    let index = media.index
    guard begin({ $0.receipts[index] == nil ? true : nil }) != nil else { return }
    let request = service.perform(.uploadToMirror(media, mirror)) { result in
      var decided = Race()
      self.finish { progress in
        guard progress.receipts[index] == nil else { return }
        if case .failure(let error) = result {
          progress.races[index, default: Race()].errors[mirror] = error
          guard let errors = progress.races[index]?.errors, let primary = errors[.primary],
            let secondary = errors[.secondary]
          else { return }
          throw RaceFailure(mediaIndex: index, primary: primary, secondary: secondary)
        }
        try progress.add(result.get())
        decided = progress.races.removeValue(forKey: index) ?? decided
      }
      for request in decided.requests { request.cancel() }
    }
    keep(request) { progress in
      guard progress.receipts[index] == nil else { return false }
      progress.races[index, default: Race()].requests.append(request)
      return true
    }
  }
}
