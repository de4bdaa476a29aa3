import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob(post, service: service, on: queue, completion: completion)
    return job.run(limit: limit) { job.prepare($0, on: .global(qos: .init(priority))) }
  }
}

extension GroupJob where Progress == Receipts {
  fileprivate func prepare(_ index: Int, on processors: DispatchQueue) {
    processors.async(group: group) {
      // A block that was dispatched cannot be taken back: it looks whether it is still wanted.
      if self.hasFailed { return }
      do {
        let prepared = try self.service.prepare(self.post.media[index])
        self.request({ self.service.issueURL(for: prepared, completion: $0) }) { url in
          self.request({ self.service.upload(prepared, to: url, completion: $0) }) { receipt in
            self.keep(receipt, at: index) { self.prepare($0, on: processors) }
          }
        }
      } catch { self.fail(error) }
    }
  }
}
