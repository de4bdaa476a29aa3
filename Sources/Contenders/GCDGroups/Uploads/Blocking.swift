import UploadScenario

extension GCDGroupUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob(post.media)
    @Sendable func uploadNext() {
      guard let media = job.nextMedia() else { return }
      // Without a limit, calls wait for Dispatch threads of this QoS class. While all are blocked, Linux adds one a second.
      job.work(on: .global(qos: .utility)) {
        job.keep(try service.uploadBlocking(media))
        uploadNext()
      }
    }
    for _ in 0..<min(limit ?? .max, post.media.count) { uploadNext() }
    return job.notify(completion) { service.createPost(post, receipts: job.receipts, completion: $0) }
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    QueueTimer(after: interval, repeats: true, beat)
  }
}
