import Dispatch
import UploadScenario

/// A post that is created from receipts.
class GroupUploadJob<Service: UploadService>: GroupJob<Service>, @unchecked Sendable {
  private var receipts: [Receipt?]
  private var started = 0
  /// The media that have entered the group and leave it when they are decided, be it by a failure of the job.
  private var undecided: Set<Int> = []

  override init(
    _ post: Post, service: Service, qos: DispatchQoS = .unspecified, completion: @escaping Completion
  ) {
    receipts = Array(repeating: nil, count: post.media.count)
    super.init(post, service: service, qos: qos, completion: completion)
  }

  override func createPost() {
    create { service.createPost(post, receipts: receipts.compactMap { $0 }, completion: $0) }
  }

  override func stop() {
    for _ in undecided { group.leave() }
    undecided = []
  }

  /// The next media file, which has entered the group; nil if all have, or none shall any more.
  final func startNext() -> Media? {
    guard failure == nil, started < post.media.count else { return nil }
    defer { started += 1 }
    group.enter()
    return post.media[started]
  }

  final func enter(_ media: Media) {
    undecided.insert(media.index)
    group.enter()
  }

  final func leave(_ media: Media) {
    if undecided.remove(media.index) != nil { group.leave() }
  }

  /// Keeps a receipt, or fails.
  final func keep(_ result: Result<Receipt, any Error>, at index: Int) {
    switch result {
    case .success(let receipt):
      while index >= receipts.count { receipts.append(nil) }
      receipts[index] = receipt
    case .failure(let error): fail(error)
    }
  }
}
