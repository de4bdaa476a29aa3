import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupUploadJob(post, service: service, completion: completion)
    job.run { for _ in 0..<min(limit ?? .max, post.media.count) { job.uploadNext() } }
    return job
  }
}

extension GroupUploadJob {
  /// Starts the next upload, which starts the next again when it ends: no thread waits for a free place.
  func uploadNext() {
    guard let media = startNext() else { return }
    let (index, number) = (media.index, nextNumber())
    let handle = service.upload(media) { result in
      self.queue.async {
        guard self.answer(number) else { return }
        self.keep(result, at: index)
        self.uploadNext()
        self.group.leave()
      }
    }
    hold(handle, number)
  }
}
