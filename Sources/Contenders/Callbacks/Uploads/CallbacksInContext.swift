import Dispatch
import Synchronization
import UploadScenario

/// Callbacks that come on a queue, as SDKs offer it: whoever asks is called back there, and nowhere else.
struct CallbacksInContext: Contender {
  let summary: String
  let context: CompletionContext?
  private let queue: DispatchQueue
  private let callbacks = CallbackUploads()

  var name: String { callbacks.name(in: context) }

  /// Those on a serial queue that lives as long as this does, or on any thread of the system's pool.
  init(_ context: CompletionContext) {
    self.context = context
    summary = "\(callbacks.summary), completions \(context.summary)"
    queue = context == .queue ? DispatchQueue(label: "callbacks", target: .global()) : .global()
  }

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    callbacks.publish(post, to: answering(service), limit: limit, completion: completion)
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    callbacks.sequence(post, to: answering(service), completion: completion)
  }

  func zip(_ post: Post, on service: some UploadService, completion: @escaping Completion) -> any Cancellable
  {
    callbacks.zip(post, on: answering(service), completion: completion)
  }

  func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    callbacks.zipSerial(post, on: answering(service), completion: completion)
  }

  func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    callbacks.presigned(
      post, to: answering(service), limit: limit, priority: priority, completion: completion)
  }

  func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    callbacks.stream(
      media, of: post, to: answering(service), buffer: buffer, uploaders: uploaders, completion: completion)
  }

  func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    callbacks.race(post, to: answering(service), hedgeDelay: hedgeDelay, completion: completion)
  }

  func resilient(
    _ post: Post, to service: some UploadService, policy: RetryPolicy, completion: @escaping Completion
  ) -> any Cancellable {
    callbacks.resilient(post, to: answering(service), policy: policy, completion: completion)
  }

  func blocking(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    callbacks.blocking(post, to: answering(service), limit: limit, completion: completion)
  }

  func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    callbacks.heartbeat(every: interval, beat)
  }

  private func answering(_ service: some UploadService) -> AnsweringOnQueue {
    AnsweringOnQueue(base: service, queue: queue, isSerial: context == .queue)
  }
}

/// A service that calls back on a queue.
private struct AnsweringOnQueue: UploadService {
  let base: any UploadService
  let queue: DispatchQueue
  let isSerial: Bool

  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
    base.perform(request, completion: onQueue(completion))
  }

  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable {
    base.createPost(post, receipts: receipts, completion: onQueue(completion))
  }

  func uploadBlocking(_ media: Media) throws -> Receipt { try base.uploadBlocking(media) }
  func prepare(_ media: Media) throws -> PreparedMedia { try base.prepare(media) }
  func chunks(of media: Media) throws -> ChunkReader { try base.chunks(of: media) }

  private func onQueue<Value: Sendable>(_ completion: @escaping Callback<Value>) -> Callback<Value> {
    guard isSerial else { return onPool(completion) }
    return { [queue] result in queue.async { completion(result) } }
  }

  /// Where a second answer could overtake the first, so the first one is taken before the queue.
  private func onPool<Value: Sendable>(_ completion: @escaping Callback<Value>) -> Callback<Value> {
    let isAnswered = Flag()
    return { [queue] result in
      if !isAnswered.flag.exchange(true, ordering: .relaxed) { queue.async { completion(result) } }
    }
  }

  private final class Flag: Sendable {
    let flag = Atomic(false)
  }
}
