import UploadScenario

extension GCDGroupUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob(post, service: service, on: destination, completion: completion)
    return job.run(limit: limit, job.upload)
  }
}

extension GroupJob where Progress == Receipts {
  fileprivate func upload(_ index: Int) {
    request({ service.upload(post.media[index], completion: $0) }) { receipt in
      self.keep(receipt, at: index, then: self.upload)
    }
  }
}
