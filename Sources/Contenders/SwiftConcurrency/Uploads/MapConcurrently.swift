import UploadScenario

extension [Media] {
  /// Uploads all media files concurrently, or at most `limit` at a time. The first error cancels the other uploads. The
  /// receipts are in order. `publish` repeats this loop without a closure, which would cost 1 kB for each child task.
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
