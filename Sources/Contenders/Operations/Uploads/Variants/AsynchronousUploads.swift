import Foundation
import Synchronization
import UploadScenario

/// No dependencies: each operation's completion block counts, and the last one starts the post.
struct AsynchronousUploads: PartialContender {
  let name = "operations/async"
  let summary = "asynchronous operations that end when they finish, with completion blocks that count"
  let patterns = [Pattern.publish]
  /// A failure cancels the other operations where it is answered.
  let goesOnInAnswers = true
  private let queue = OperationQueue()

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = OperationJob(on: service, queue, completion: completion)
    let uploads = post.media.map { UploadOperation(of: job, $0) }
    let creation = job.postOperation {
      service.createPost(post, receipts: uploads.compactMap(\.value), completion: $0)
    }
    let countdown = Countdown(uploads.count) { job.add([creation], on: queue) }
    // A completion block that captured its own operation would keep it without end: this one captures what lets go at 0.
    for upload in uploads { upload.completionBlock = { countdown.step() } }
    job.add(uploads, on: queue.limited(to: limit))
    if uploads.isEmpty { countdown.step() }
    return job
  }
}

/// Does something once, after so many steps.
private final class Countdown: Sendable {
  private struct State {
    var left: Int
    var action: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>

  init(_ count: Int, _ action: @escaping @Sendable () -> Void) {
    state = Mutex(State(left: max(1, count), action: action))
  }

  func step() {
    let action = state.withLock { state in
      state.left -= 1
      return state.left == 0 ? state.action.take() : nil
    }
    action?()
  }
}
