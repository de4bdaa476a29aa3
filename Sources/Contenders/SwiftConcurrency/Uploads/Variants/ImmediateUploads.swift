import UploadScenario

/// Tasks that run at once where they are made, and elsewhere only after their first wait.
@available(macOS 26, *)
struct ImmediateUploads: PartialContender {
  let name = "swift-concurrency/immediate"
  let summary =
    "an immediate task, and immediate tasks in its throwing group: each runs at once until it first waits"
  let patterns = [Pattern.publish, .sequence, .zip]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    startAtOnce(completion) {
      let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
        var receipts = [Receipt?](repeating: nil, count: post.media.count)
        for media in post.media {
          if media.index >= limit ?? .max, let receipt = try await group.next() {
            receipts[receipt.mediaIndex] = receipt
          }
          group.addImmediateTask { try await service.upload(media) }
        }
        for try await receipt in group { receipts[receipt.mediaIndex] = receipt }
        return receipts.compactMap { $0 }
      }
      return try await service.createPost(post, receipts: receipts)
    }
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    startAtOnce(completion) {
      var receipts: [Receipt] = []
      for media in post.media { receipts.append(try await service.upload(media)) }
      return try await service.createPost(post, receipts: receipts)
    }
  }

  func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    startAtOnce(completion) {
      let details = try await withThrowingTaskGroup(of: Detail.self) { group in
        group.addImmediateTask { .author(try await service.author(of: post)) }
        group.addImmediateTask { .place(try await service.place(of: post)) }
        group.addImmediateTask { .audience(try await service.audience(of: post)) }
        return try await group.collectDetails()
      }
      return try await service.createPost(post, details: details)
    }
  }

  private func startAtOnce(
    _ completion: @escaping Completion, _ body: @escaping @Sendable () async throws -> Publication
  ) -> any Cancellable {
    TaskHandle(task: .immediate { completion(await result(of: body)) })
  }
}
