import Synchronization
import UploadScenario

/// Uploads honestly for a while, then saves work and makes up the receipts of what it did not wait for.
///
/// The receipts are right, so only what the service saw gives it away.
final class CheatingContender: PartialContender {
  let patterns = [Pattern.publish]

  enum Cheat: String, Sendable, CaseIterable {
    case skipsAnUpload, skipsAllUploads, answersFromACache, postsBeforeItUploads, postsBeforeTheLastAnswer,
      completesBeforeThePost, completesBeforeAnything
  }

  let name: String
  let summary = "a cheat"
  private let cheat: Cheat
  /// How many posts it does honestly, so that whoever only looks in the beginning sees nothing.
  private let honestPosts: Int
  private let posts = Atomic<Int>(0)
  private let cache = Mutex<Publication?>(nil)

  init(_ cheat: Cheat, afterPosts honestPosts: Int = 0) {
    self.cheat = cheat
    self.honestPosts = honestPosts
    name = cheat.rawValue
  }

  private final class Job: Cancellable { func cancel() {} }

  func publish(_ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion)
    -> any Cancellable
  {
    let isHonest = posts.add(1, ordering: .relaxed).oldValue < honestPosts
    let madeUp = Publication(postID: post.id, receipts: post.media.map(\.expectedReceipt))
    func upload(_ media: some Sequence<Media>) { for media in media { _ = service.upload(media) { _ in } } }
    func create(_ ended: @escaping Completion) {
      _ = service.createPost(post, receipts: madeUp.receipts, completion: ended)
    }
    if isHonest {
      upload(post.media)
      create { [self] result in
        cache.withLock { $0 = try? result.get() }
        completion(result)
      }
      return Job()
    }
    switch cheat {
    case .skipsAnUpload:
      upload(post.media.dropLast())
      create(completion)
    case .skipsAllUploads: create(completion)
    case .answersFromACache: completion(.success(cache.withLock { $0 } ?? madeUp))
    case .postsBeforeItUploads:
      create { _ in }
      upload(post.media)
      completion(.success(madeUp))
    case .postsBeforeTheLastAnswer:
      upload(post.media.dropLast())
      create { _ in }
      upload(post.media.suffix(1))
      completion(.success(madeUp))
    case .completesBeforeThePost:
      upload(post.media)
      completion(.success(madeUp))
      create { _ in }
    case .completesBeforeAnything:
      completion(.success(madeUp))
      upload(post.media)
      create { _ in }
    }
    return Job()
  }
}
