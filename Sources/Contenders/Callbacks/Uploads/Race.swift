import UploadScenario

extension CallbackUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post, service, races: post.media.map { _ in Race() }, completion)
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
  fileprivate func upload(_ media: Media, to mirror: Mirror) {
    let index = media.index
    guard begin({ $0.receipts[index] == nil ? true : nil }) != nil else { return }
    let request = service.perform(.uploadToMirror(media, mirror)) { result in
      var requests: [any Cancellable] = []
      self.finish { requests = try $0.answer(result, from: mirror, at: index) }
      for request in requests { request.cancel() }
    }
    keep(request) { progress in
      progress.races[index].requests.append(request)
      return progress.receipts[index] == nil
    }
  }
}

extension Progress {
  /// The first success wins and returns the requests to cancel; throws when both have failed.
  fileprivate mutating func answer(
    _ result: Result<Receipt, any Error>, from mirror: Mirror, at index: Int
  ) throws -> [any Cancellable] {
    guard receipts[index] == nil else { return [] }
    switch result {
    case .success(let receipt):
      add(receipt)
      return races[index].requests
    case .failure(let error):
      races[index].errors[mirror] = error
      let errors = races[index].errors
      guard let primary = errors[.primary], let secondary = errors[.secondary] else { return [] }
      throw RaceFailure(mediaIndex: index, primary: primary, secondary: secondary)
    }
  }
}
