import ClosureTasks
import Dispatch
import UploadScenario

extension ClosureTaskUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    // Tasks have no queue between them. A small one, and two recursions: one reads, several upload.
    ClosureTask(on: .global()) { try (service.chunks(of: media), ChunkQueue(places: max(1, buffer))) }
      .then { [queue] reader, chunks in
        ClosureTask.zip(
          chunks.fill(from: reader),
          ClosureTask.group(0..<uploaders) { _ in chunks.drain { service.upload($0).ended(on: queue) } }
        )
        .map { _, _ in chunks.receipts }
      }
      .then { [queue] in service.createPost(post, receipts: $0).ended(on: queue) }
      .perform(completion: completion)
  }
}
