import UploadScenario

extension GCDGroupUploads {
  public func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob(post.media)
    @Sendable func uploadNext() {
      guard let media = job.nextMedia() else { return }
      job.group.enter()
      let handle = service.upload(media) { result in
        switch result {
        case .success(let receipt): job.keep(receipt)
        // Cancels the uploads in flight. When the group is empty, the job reports the error.
        case .failure(let error): job.fail(error)
        }
        uploadNext()
        job.group.leave()
      }
      job.requests.add(handle)
    }
    for _ in 0..<min(limit ?? .max, post.media.count) { uploadNext() }
    return job.notify(completion) { service.createPost(post, receipts: job.receipts, completion: $0) }
  }
}
