import UploadScenario

extension GCDGroupUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob(post, service: service, on: queue, completion: completion)
    return job.run { job.uploadInOrder() }
  }
}

extension GroupJob where Progress == Receipts {
  /// Nothing is concurrent, so nothing waits for the group: an upload's completion handler starts the next.
  fileprivate func uploadInOrder() {
    advance {
      guard let index = change({ $0.startNext() }) ?? nil else { return createPost() }
      request({ service.upload(post.media[index], completion: $0) }) { receipt in
        self.change { _ = $0.keep(receipt, at: index) }
        self.uploadInOrder()
      }
    }
  }
}
