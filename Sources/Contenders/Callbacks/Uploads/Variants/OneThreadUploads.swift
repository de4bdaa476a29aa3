import Dispatch
import UploadScenario

extension CallbackUploads {
  /// `callbacks/one-thread`.
  public static let onOneThread: any Contender = OneThreadUploads()
}

/// One media file is prepared after another, on a serial queue: what all that spread the work have to beat.
struct OneThreadUploads: PartialContender {
  let name = "callbacks/one-thread"
  let summary = "callbacks, all that computes on one serial queue: a processor alone"
  let patterns = [Pattern.presigned]

  func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    CallbackUploads().presigned(
      post, to: service, limit: limit, on: DispatchQueue(label: name, target: .global(qos: .init(priority))),
      completion: completion)
  }

  func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    CallbackUploads().heartbeat(every: interval, beat)
  }
}
