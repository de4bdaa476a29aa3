import UploadScenario

extension CallbackUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post.media, completion) { service.createPost(post, receipts: $0, completion: $1) }
    @Sendable func upload(_ media: Media) {
      job.perform(on: .global(qos: .init(priority))) {
        let prepared = try service.prepare(media)
        job.request({ service.issueURL(for: prepared, completion: $0) }) { url in
          job.request({ service.perform(.uploadTo(url, prepared), completion: $0) }) { receipt in
            job.end(.success(receipt), startNext: upload)
          }
        }
      }
    }
    return job.run(limit: limit, upload)
  }
}
