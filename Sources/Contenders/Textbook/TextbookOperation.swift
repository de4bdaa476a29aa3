import Foundation
import UploadScenario

/// A concurrent operation for each upload, and a last operation that depends on all of them.
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

/// An article's concurrent operation, which ends when its request is answered, not when `start` returns.
///
/// Invariant of `@unchecked Sendable`: `start` writes before the request, its one answer writes afterwards, and other code reads
/// after a notification.
final class UploadOperation<Service: UploadService>: Operation, @unchecked Sendable {
  private enum Status { case ready, executing, finished }

  private let media: Media
  private let service: Service
  private(set) var result: Result<Receipt, any Error>?
  private var status = Status.ready {
    willSet {
      willChangeValue(forKey: "isExecuting")
      willChangeValue(forKey: "isFinished")
    }
    didSet {
      didChangeValue(forKey: "isExecuting")
      didChangeValue(forKey: "isFinished")
    }
  }

  init(_ media: Media, _ service: Service) {
    self.media = media
    self.service = service
  }

  override var isAsynchronous: Bool { true }
  override var isExecuting: Bool { status == .executing }
  override var isFinished: Bool { status == .finished }

  override func start() {
    status = .executing
    _ = service.upload(media) { result in
      self.result = result
      self.status = .finished
    }
  }
}
