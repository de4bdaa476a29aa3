import Dispatch
import UploadScenario

extension OperationUploads {
  public func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // Without a limit, calls wait for Dispatch threads of this QoS class. While all are blocked, Linux adds one a second.
    let job = OperationJob(limit: limit, on: .global(qos: .utility))
    let uploads = post.media.map { media in
      AsynchronousOperation<Receipt>(of: job) { upload in
        if job.error == nil { upload.finish(with: Result { try service.uploadBlocking(media) }) }
      }
    }
    return job.run(uploads, completion) { service.createPost(post, receipts: uploads.values, completion: $0) }
  }

  public func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    Alarm(after: interval, repeats: true) { _ in beat() }
  }
}
