import Dispatch
import UploadScenario

/// Work items: those that wait are cancelled, and what follows the last one is notified, cancelled or not.
struct WorkItemUploads: PartialContender {
  let name = "gcd-groups/work-items"
  let summary = "DispatchWorkItem cancel and notify: an item for each upload, and one for the post"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = WorkItemJob(post, service: service, completion: completion)
    job.queue.async { job.start(limit: limit ?? .max) }
    return job
  }
}

private final class WorkItemJob<Service: UploadService>: GroupUploadJob<Service>, @unchecked Sendable {
  private var items: [DispatchWorkItem] = []
  private var submitted = 0
  private var creation: DispatchWorkItem?

  func start(limit: Int) {
    items = post.media.map { media in DispatchWorkItem { self.upload(media) } }
    let creation = DispatchWorkItem {
      self.creation = nil
      self.createPost()
    }
    self.creation = creation
    if failure != nil { stop() }
    for _ in 0..<min(limit, items.count) { submitNext() }
    creation.notify(queue: queue) {
      // The items hold the job, which holds them.
      self.items = []
      if self.creation.take() != nil { self.createPost() }
    }
    group.notify(queue: queue, work: creation)
  }

  /// An item that has begun cannot be cancelled: what it has asked for is cancelled by its handle.
  override func stop() {
    for item in items { item.cancel() }
    creation?.cancel()
  }

  private func submitNext() {
    guard submitted < items.count else { return }
    queue.async(group: group, execute: items[submitted])
    submitted += 1
  }

  private func upload(_ media: Media) {
    group.enter()
    request({ service.upload(media, completion: $0) }) { result in
      self.keep(result, at: media.index)
      self.submitNext()
      self.group.leave()
    }
  }
}
