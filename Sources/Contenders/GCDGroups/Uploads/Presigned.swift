import UploadScenario

extension GCDGroupUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob(post.media)
    @Sendable func uploadNext() {
      guard let media = job.nextMedia() else { return }
      job.work(on: .global(qos: .init(priority))) {
        let prepared = try service.prepare(media)
        job.request({ service.issueURL(for: prepared, completion: $0) }) { url in
          job.request({ service.upload(prepared, to: url, completion: $0) }) { receipt in
            job.keep(receipt)
            uploadNext()
          }
        }
      }
    }
    for _ in 0..<min(limit ?? .max, post.media.count) { uploadNext() }
    return job.notify(completion) { service.createPost(post, receipts: job.receipts, completion: $0) }
  }
}
