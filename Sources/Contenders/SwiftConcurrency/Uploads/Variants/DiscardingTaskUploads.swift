import Synchronization
import UploadScenario

/// A group that forgets its child tasks as they end, with the receipts beside it.
struct DiscardingTaskUploads: PartialContender {
  let name = "swift-concurrency/discarding"
  let summary = "a discarding task group, and a mutex around the receipts"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let job = Job(post)
      try await withThrowingDiscardingTaskGroup { group in
        // Such a group has no `next` to wait for, so the limit is the number of its tasks.
        for _ in 0..<min(limit ?? .max, post.media.count) {
          group.addTask {
            while let media = job.waiting.withLock({ $0.next() }) {
              let receipt = try await service.upload(media)
              job.receipts.withLock { $0[media.index] = receipt }
            }
          }
        }
      }
      return try await service.createPost(post, receipts: job.receipts.withLock { $0.compactMap { $0 } })
    }
  }
}

private final class Job: Sendable {
  let waiting: Mutex<IndexingIterator<[Media]>>
  let receipts: Mutex<[Receipt?]>

  init(_ post: Post) {
    waiting = Mutex(post.media.makeIterator())
    receipts = Mutex(Array(repeating: nil, count: post.media.count))
  }
}
