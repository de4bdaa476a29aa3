import Foundation
import UploadScenario

/// A concurrent operation for each upload, and a last one that depends on all.
struct TextbookOperation: TextbookShape {
  let name = "textbook/operation"
  let summary =
    "an article's concurrent operations: a status announced to the queue, a last one that depends on all"
  let patterns = [Pattern.publish, .sequence]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let uploads = post.media.map { UploadOperation($0, service) }
    let last = BlockOperation {
      do {
        let receipts = try uploads.compactMap { try $0.result?.get() }
        _ = service.createPost(post, receipts: receipts, completion: completion)
      } catch { completion(.failure(error)) }
    }
    for upload in uploads { last.addDependency(upload) }
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = limit ?? OperationQueue.defaultMaxConcurrentOperationCount
    queue.addOperations([last] + uploads, waitUntilFinished: false)
    return NoHandle()
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable { publish(post, to: service, limit: 1, completion: completion) }
}
