import UploadScenario

/// The same actor as in `swift-concurrency/actor`, but asking for an upload stays on it: no hop to the pool and back.
struct NonsendingUploads: PartialContender {
  let name = "swift-concurrency/nonisolated-nonsending"
  let summary = "an actor whose requests are nonisolated(nonsending): they run on the actor"
  let patterns = [Pattern.publish, .sequence]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) { try await PostActor(post, service, asksHere: true).publish(limit: limit) }
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) { try await PostActor(post, service, asksHere: true).sequence() }
  }
}
