import Dispatch
import Synchronization
import UploadScenario

/// The classic dispatch group: `enter`, `leave`, `notify`, and a variable for the first error.
struct TextbookDispatchGroup: TextbookShape {
  let name = "textbook/dispatch-group"
  let summary = "an article's DispatchGroup: enter, leave, notify, the first error in a variable"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let group = DispatchGroup()
    let firstError = Mutex<(any Error)?>(nil)
    let receipts = Mutex([Receipt?](repeating: nil, count: post.media.count))
    for media in post.media {
      group.enter()
      _ = service.upload(media) { result in
        switch result {
        case .success(let receipt): receipts.withLock { $0[media.index] = receipt }
        case .failure(let error): firstError.withLock { $0 = $0 ?? error }
        }
        group.leave()
      }
    }
    group.notify(queue: .global()) {
      if let error = firstError.withLock({ $0 }) { return completion(.failure(error)) }
      let receipts = receipts.withLock { $0.compactMap { $0 } }
      _ = service.createPost(post, receipts: receipts, completion: completion)
    }
    return NoHandle()
  }
}
