import UploadScenario

/// One task, and a stream of all receipts: the callbacks need no task of their own.
struct AsyncStreamUploads: PartialContender {
  let name = "swift-concurrency/async-stream"
  let summary = "one task that reads the receipts from an async stream of callbacks"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let (answers, answered) = AsyncThrowingStream<Receipt, any Error>.makeStream()
      var uploads: [any Cancellable] = []
      defer { for upload in uploads { upload.cancel() } }
      func upload(_ media: Media) throws {
        try Task.checkCancellation()
        let request = CancellableRequest()
        uploads.append(
          service.upload(media) { result in
            guard request.isAnsweredFirst() else { return }
            switch result {
            case .success(let receipt): answered.yield(receipt)
            case .failure(let error): answered.finish(throwing: error)
            }
          })
      }
      for media in post.media.prefix(limit ?? .max) { try upload(media) }
      var (receipts, iterator) = ([Int: Receipt](), answers.makeAsyncIterator())
      while receipts.count < post.media.count {
        // Cancelled, the stream ends.
        guard let receipt = try await iterator.next() else { throw CancellationError() }
        receipts[receipt.mediaIndex] = receipt
        if uploads.count < post.media.count { try upload(post.media[uploads.count]) }
      }
      return try await service.createPost(post, receipts: post.media.indices.compactMap { receipts[$0] })
    }
  }
}
