import UploadScenario

/// As many child tasks as may be in flight, which take media from an actor.
struct BoundedTaskUploads: PartialContender {
  let name = "swift-concurrency/bounded"
  let summary = "a fixed set of child tasks that take media from an actor"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let queue = MediaQueue(post.media)
      let receipts = try await withThrowingTaskGroup(of: [Receipt].self) { group in
        for _ in 0..<min(limit ?? .max, post.media.count) {
          group.addTask {
            var receipts: [Receipt] = []
            while let media = await queue.next() {
              receipts.append(try await service.upload(media))
            }
            return receipts
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      return try await service.createPost(
        post, receipts: receipts.sorted { $0.mediaIndex < $1.mediaIndex })
    }
  }
}

private actor MediaQueue {
  private var media: IndexingIterator<[Media]>

  init(_ media: [Media]) { self.media = media.makeIterator() }

  func next() -> Media? { media.next() }
}
