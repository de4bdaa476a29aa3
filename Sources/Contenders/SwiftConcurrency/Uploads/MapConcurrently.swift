import UploadScenario

extension [Media] {
  /// The receipts of all media files, in order, after at most `limit` concurrent uploads. The first error cancels the others.
  /// `publish` repeats this loop without the closure, which costs 1 kB for each child task.
  func mapConcurrently(
    limit: Int? = nil, _ upload: @escaping @Sendable (Media) async throws -> Receipt
  ) async throws -> [Receipt] {
    try await withThrowingTaskGroup(of: Receipt.self) { group in
      var receipts = [Receipt?](repeating: nil, count: count)
      for media in self {
        if let limit, media.index >= limit, let receipt = try await group.next() {
          receipts[receipt.mediaIndex] = receipt
        }
        group.addTask { try await upload(media) }
      }
      for try await receipt in group { receipts[receipt.mediaIndex] = receipt }
      return receipts.compactMap { $0 }
    }
  }
}
