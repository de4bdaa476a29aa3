import Dispatch
import UploadScenario

/// Each upload is started by a work item, which can be cancelled as long as it waits.
struct WorkItemUploads: PartialContender {
  let name = "gcd-groups/work-items"
  let summary = "DispatchWorkItem for each upload, cancelled while it waits; group notify"
  let patterns = [Pattern.publish]
  private let queue = DispatchQueue(label: "uploads", target: .global())

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob(post, service: service, on: queue, completion: completion)
    return job.run(limit: limit) { job.submit($0, to: queue) }
  }
}

/// Invariant of `@unchecked Sendable`: a work item may be cancelled from any thread.
private final class UploadItem: Cancellable, @unchecked Sendable {
  private let item: DispatchWorkItem

  init(_ item: DispatchWorkItem) { self.item = item }

  /// An item that has begun goes on: what it has asked for is cancelled by its own handle.
  func cancel() { item.cancel() }
}

extension GroupJob where Progress == Receipts {
  fileprivate func submit(_ index: Int, to queue: DispatchQueue) {
    guard let number = open() else { return }
    let item = DispatchWorkItem {
      guard self.isFirst(number) else { return }
      self.request({ self.service.upload(self.post.media[index], completion: $0) }) { receipt in
        self.keep(receipt, at: index) { self.submit($0, to: queue) }
      }
      self.group.leave()
    }
    keep(UploadItem(item), number)
    queue.async(execute: item)
  }
}
