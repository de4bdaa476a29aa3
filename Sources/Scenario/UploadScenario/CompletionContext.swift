import Dispatch

/// Where a service calls completions: one wrapper around the service, the same for every contender.
public enum CompletionContext: String, Sendable, Hashable, Codable, CaseIterable {
  /// On the service's own thread, as it calls them without a wrapper.
  case inline
  /// On a serial queue, one for each post.
  case queue
  /// On the system's concurrent queue.
  case pool

  /// A line for `bench list`.
  public var summary: String {
    switch self {
    case .inline: "on the service's thread"
    case .queue: "on a serial queue for each post"
    case .pool: "on the system's concurrent queue"
    }
  }

  /// The queue of one post's completions; nil for `inline`.
  fileprivate func makeQueue() -> DispatchQueue? {
    switch self {
    case .inline: nil
    // Without a target, a serial queue takes a thread beyond those of the pool.
    case .queue: DispatchQueue(label: "completions", target: .global())
    case .pool: .global()
    }
  }
}

/// A service whose completions are called on a queue.
struct QueuedService<Base: UploadService>: UploadService {
  private let base: Base
  private let queue: DispatchQueue

  /// For one post; nil for `inline`, which needs no wrapper.
  init?(_ base: Base, _ context: CompletionContext?) {
    guard let queue = context?.makeQueue() else { return nil }
    (self.base, self.queue) = (base, queue)
  }

  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
    base.perform(request) { [queue] result in queue.async { completion(result) } }
  }

  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable {
    base.createPost(post, receipts: receipts) { [queue] result in queue.async { completion(result) } }
  }

  func uploadBlocking(_ media: Media) throws -> Receipt { try base.uploadBlocking(media) }
  func prepare(_ media: Media) throws -> PreparedMedia { try base.prepare(media) }
  func chunks(of media: Media) throws -> ChunkReader { try base.chunks(of: media) }
}
