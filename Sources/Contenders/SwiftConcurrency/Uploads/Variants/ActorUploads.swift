import UploadScenario

/// An actor stores the receipts, so each upload switches to the actor and back.
struct ActorUploads: PartialContender {
  let name = "swift-concurrency/actor"
  let summary = "an actor that starts the uploads and keeps their receipts"
  let patterns = [Pattern.publish, .sequence]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let job = PostActor(post, service)
      _ = try await post.media.mapConcurrently(limit: limit) { try await job.upload($0) }
      return try await job.createPost()
    }
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let job = PostActor(post, service)
      for media in post.media { try await job.upload(media) }
      return try await job.createPost()
    }
  }
}

private actor PostActor<Service: UploadService> {
  private let post: Post
  private let service: Service
  private var receipts: [Receipt?]

  init(_ post: Post, _ service: Service) {
    self.post = post
    self.service = service
    receipts = Array(repeating: nil, count: post.media.count)
  }

  @discardableResult
  func upload(_ media: Media) async throws -> Receipt {
    let receipt = try await service.upload(media)
    receipts[media.index] = receipt
    return receipt
  }

  func createPost() async throws -> Publication {
    try await service.createPost(post, receipts: receipts.compactMap { $0 })
  }
}
