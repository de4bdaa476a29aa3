import UploadScenario

extension SwiftConcurrencyUploads {
  public func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let receipts = try await post.media.mapConcurrently { media in
        try await upload(media, to: service, hedgeDelay: hedgeDelay)
      }
      return try await service.createPost(post, receipts: receipts)
    }
  }

  private func upload(
    _ media: Media, to service: some UploadService, hedgeDelay: Duration
  ) async throws -> Receipt {
    try await withThrowingTaskGroup(of: Outcome.self) { group in
      defer { group.cancelAll() }
      for mirror in Mirror.allCases {
        group.addTask {
          do {
            if mirror == .secondary, hedgeDelay > .zero { try await clock.sleep(for: hedgeDelay) }
            return .uploaded(try await service.perform(.uploadToMirror(media, mirror)))
          } catch {
            return .failed(mirror, error)
          }
        }
      }
      var errors: [Mirror: any Error] = [:]
      for try await outcome in group {
        switch outcome {
        case .uploaded(let receipt): return receipt
        case .failed(let mirror, let error): errors[mirror] = error
        }
      }
      guard !Task.isCancelled, let primary = errors[.primary], let secondary = errors[.secondary] else {
        throw CancellationError()
      }
      throw RaceFailure(mediaIndex: media.index, primary: primary, secondary: secondary)
    }
  }
}

private enum Outcome {
  case uploaded(Receipt)
  case failed(Mirror, any Error)
}
