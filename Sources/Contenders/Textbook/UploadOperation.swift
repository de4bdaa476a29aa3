import Foundation
import UploadScenario

/// An article's concurrent operation: it has ended when its answer says so, not when `start` returns.
///
/// Invariant of `@unchecked Sendable`: `start` writes before the request, its one answer writes afterwards, and the queue and the
/// last operation read once they have been notified.
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
