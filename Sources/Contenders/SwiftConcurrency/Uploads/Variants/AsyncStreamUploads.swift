import UploadScenario

/// One task runs the whole post. Uploads have no tasks: their completions send the receipts to a stream.
struct AsyncStreamUploads: PartialContender {
  let name = "swift-concurrency/async-stream"
  let summary = "one task that reads the receipts from an async stream of completions"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let (arrivals, arriving) = AsyncThrowingStream<Receipt, any Error>.makeStream()
      var uploads: [any Cancellable] = []
      defer { for upload in uploads { upload.cancel() } }
      func upload(_ media: Media) throws {
        try Task.checkCancellation()
        let upload = service.upload(media) { result in
          switch result {
          case .success(let receipt): arriving.yield(receipt)
          case .failure(let error): arriving.finish(throwing: error)
          }
        }
        uploads.append(upload)
      }

      for media in post.media.prefix(limit ?? post.media.count) { try upload(media) }
      var receipts = [Receipt?](repeating: nil, count: post.media.count)
      var arrived = arrivals.makeAsyncIterator()
      for _ in post.media {
        // The stream ends without an error only if the task is cancelled.
        guard let receipt = try await arrived.next() else { throw CancellationError() }
        receipts[receipt.mediaIndex] = receipt
        if uploads.count < post.media.count { try upload(post.media[uploads.count]) }
      }
      return try await service.createPost(post, receipts: receipts.compactMap { $0 })
    }
  }
}
