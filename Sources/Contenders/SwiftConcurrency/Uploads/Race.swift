import UploadScenario

extension SwiftConcurrencyUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: executor, completion) {
      let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
        for media in post.media {
          group.addTask { try await upload(media, to: service, hedgeDelay: hedgeDelay, clock) }
        }
        var receipts = [Receipt?](repeating: nil, count: post.media.count)
        for try await receipt in group { receipts[receipt.mediaIndex] = receipt }
        return receipts.compactMap { $0 }
      }
      return try await service.createPost(post, receipts: receipts)
    }
  }
}

/// The group waits for the loser, too, until the service has answered that it is cancelled.
private func upload(
  _ media: Media, to service: some UploadService, hedgeDelay: Duration, _ clock: any Clock<Duration>
) async throws -> Receipt {
  try await withThrowingTaskGroup(of: (Mirror, Result<Receipt, any Error>).self) { group in
    group.addTask {
      (.primary, await result { try await service.upload(media, to: .primary) })
    }
    group.addTask {
      // Cancelled, it ends at once; only the timer that the toolchain sets for it stays until its time.
      if hedgeDelay > .zero { try await clock.sleep(for: hedgeDelay) }
      return (.secondary, await result { try await service.upload(media, to: .secondary) })
    }
    var errors: [Mirror: any Error] = [:]
    for try await (mirror, result) in group {
      switch result {
      case .success(let receipt):
        group.cancelAll()
        return receipt
      case .failure(let error): errors[mirror] = error
      }
    }
    try Task.checkCancellation()
    throw RaceFailure(mediaIndex: media.index, primary: errors[.primary]!, secondary: errors[.secondary]!)
  }
}
