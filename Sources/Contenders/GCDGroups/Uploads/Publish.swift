import UploadScenario

extension GCDGroupUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob(post, service: service, on: queue, completion: completion)
    return job.run(limit: limit, job.upload)
  }
}

extension GroupJob where Progress == Receipts {
  fileprivate func upload(_ index: Int) {
    // Not by `request`, which is generic: that is a closure more for each upload.
    guard let number = open() else { return }
    let handle = service.upload(post.media[index]) { result in
      self.answered(number) {
        switch result {
        case .success(let receipt): self.keep(receipt, at: index, then: self.upload)
        case .failure(let error): self.fail(error)
        }
        self.group.leave()
      }
    }
    keep(handle, number)
  }
}
