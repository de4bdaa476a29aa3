import UploadScenario

extension CallbackUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post.media, completion) { service.createPost(post, receipts: $0, completion: $1) }
    @Sendable func upload(_ media: Media) {
      // Dispatch's pool has one thread per processor, and each call blocks one. While all are blocked, Linux adds one a second.
      job.perform(on: .global(qos: .utility)) {
        job.end(.success(try service.uploadBlocking(media)), startNext: upload)
      }
    }
    return job.run(limit: limit, upload)
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    Timer(after: interval, repeats: true, beat)
  }
}
