import Dispatch
import UploadScenario

extension CallbackUploads {
  public static let onOneThread: any Contender = OneThreadUploads()
}

/// Prepares one media file after another on a serial queue, as a baseline for contenders that use several processors.
struct OneThreadUploads: PartialContender {
  let name = "callbacks/one-thread"
  let summary = "callbacks, all that computes on one serial queue: a processor alone"
  let patterns = [Pattern.presigned]

  func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post.media, completion) { service.createPost(post, receipts: $0, completion: $1) }
    let queue = DispatchQueue(label: name, target: .global(qos: .init(priority)))
    @Sendable func upload(_ media: Media) {
      job.perform(on: queue) {
        let prepared = try service.prepare(media)
        job.request({ service.issueURL(for: prepared, completion: $0) }) { url in
          job.request({ service.upload(prepared, to: url, completion: $0) }) { receipt in
            job.end(.success(receipt), startNext: upload)
          }
        }
      }
    }
    return job.run(limit: limit, upload)
  }

  func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    CallbackUploads().heartbeat(every: interval, beat)
  }
}
