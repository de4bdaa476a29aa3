import Dispatch
import UploadScenario

/// Grand Central Dispatch: a group that is entered for each upload, and a private queue that guards the results.
public struct GCDGroupUploads: PartialContender {
  public let patterns = [Pattern.publish, .sequence, .zip, .zipSerial]
  public let name = "gcd-groups"
  public let summary = "DispatchGroup enter, leave and notify on a private serial queue"

  public init() {}
}

/// One post on its way.
final class UploadJob<Service: UploadService>: Cancellable, @unchecked Sendable {
  // Invariant: everything mutable is touched on `queue` only.
  let queue = DispatchQueue(label: "uploads")
  let group = DispatchGroup()
  let post: Post
  let service: Service
  private(set) var failure: (any Error)?
  private var receipts: [Receipt?]
  private var handles: [Int: any Cancellable] = [:]
  private var postHandle: (any Cancellable)?
  private var started = 0
  private var completion: Completion?

  init(_ post: Post, service: Service, completion: @escaping Completion) {
    self.post = post
    self.service = service
    self.completion = completion
    receipts = Array(repeating: nil, count: post.media.count)
  }

  func cancel() { queue.async { self.fail(CancellationError()) } }

  /// Starts the next upload, which starts the next again when it ends: no thread waits for a free place.
  func startNext() {
    guard failure == nil, started < post.media.count else { return }
    let media = post.media[started]
    started += 1
    group.enter()
    handles[media.index] = service.upload(media) { result in
      self.queue.async {
        self.handles[media.index] = nil
        switch result {
        case .success(let receipt): self.receipts[media.index] = receipt
        case .failure(let error): self.fail(error)
        }
        self.startNext()
        self.group.leave()
      }
    }
  }

  /// What follows when every upload that started has ended.
  func createPost() {
    if let failure { return finish(.failure(failure)) }
    postHandle = service.createPost(post, receipts: receipts.compactMap { $0 }) { result in
      self.queue.async { self.finish(result) }
    }
  }

  private func fail(_ error: any Error) {
    guard failure == nil, completion != nil else { return }
    failure = error
    for handle in handles.values { handle.cancel() }
    postHandle?.cancel()
  }

  private func finish(_ result: Result<Publication, any Error>) {
    postHandle = nil
    let completion = completion
    self.completion = nil
    completion?(result)
  }
}
