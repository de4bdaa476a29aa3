import Dispatch
import UploadScenario

extension CallbackUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post.media, completion) { service.createPost(post, receipts: $0, completion: $1) }
    @Sendable func upload(_ media: Media) {
      // A blocked call keeps a thread from everything else of its class. There are as many threads as processors; Linux adds
      // one a second while they stay blocked.
      DispatchQueue.global(qos: .utility).async {
        let result = Result { try job.check { try service.uploadBlocking(media) } }
        if let next = job.finish(result) { upload(next) }
      }
    }
    return job.run(limit: limit, upload)
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    Timer(after: interval, repeats: true, beat)
  }
}
