import CCheats
import CallbackUploads
import Foundation
import Synchronization
import UploadScenario

/// Uploads like callbacks, and cheats in one way.
struct Cheat: PartialContender {
  enum Deed: String, CaseIterable {
    // Saved work.
    case preparesOnce, readsElsewhere, forgesReceipts, uploadsOnce, asksTwice, completesEarly
    // What the parent reads.
    case writesGarbage
    // More of the machine.
    case takesFIFO, takesBatch, raisesItsPriority, pinsItself
    // Others.
    case stopsOthers, killsOthers, forks, forksAway
    // No end, or a bad one.
    case hangsAtOnce, hangs, losesItsPosts, letsGoLate, exits, aborts, abortsAtExit
  }

  let name: String
  let summary = "a cheat"
  let patterns = [Pattern.publish, .presigned, .stream, .race]
  private let deed: Deed?
  private static let honest = CallbackUploads()
  private static let posts = Atomic<Int>(0)
  private static let late = Mutex<[Completion]>([])
  /// Receipts of earlier posts.
  private static let receipts = Mutex<[Int: Receipt]>([:])

  /// - Parameter deed: nil: honest.
  init(_ name: String, _ deed: Deed?) {
    self.name = name
    self.deed = deed
  }

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let number = Self.posts.add(1, ordering: .relaxed).oldValue
    var completion = completion
    switch deed {
    case .writesGarbage: cheat_write_pipes("{[\u{0}\u{7f}\n\n")
    case .takesFIFO where number == 0: _ = cheat_take_fifo()
    case .takesBatch: _ = cheat_take_batch()
    case .raisesItsPriority where number == 0: _ = cheat_be_nice(-15)
    case .pinsItself where number == 0: _ = cheat_pin()
    case .stopsOthers:
      cheat_signal_siblings(SIGSTOP)
      cheat_signal_siblings(SIGCONT)
    case .killsOthers: cheat_signal_siblings(SIGKILL)
    case .forks where number == 0: _ = cheat_fork(0)
    case .forksAway where number == 0: _ = cheat_fork(1)
    case .hangsAtOnce: hang()
    case .hangs where number == 5: hang()
    case .losesItsPosts:
      Self.late.withLock { $0.append(completion) }
      return NothingAtAll()
    case .letsGoLate:
      let kept = completion
      DispatchQueue.global().asyncAfter(deadline: .now() + 2) { withExtendedLifetime(kept) {} }
    case .uploadsOnce:
      if let known = Self.receipts.withLock({ $0.count == post.media.count ? $0 : nil }) {
        return service.createPost(post, receipts: post.media.map { known[$0.index]! }, completion: completion)
      }
      completion = { [completion] result in
        if case .success(let publication) = result {
          Self.receipts.withLock {
            $0 = Dictionary(uniqueKeysWithValues: publication.receipts.enumerated().map { ($0, $1) })
          }
        }
        completion(result)
      }
    case .asksTwice: for media in post.media { _ = service.upload(media) { _ in } }
    case .completesEarly:
      let publication = Publication(postID: post.id, receipts: post.media.map(\.expectedReceipt))
      let job = Self.honest.publish(post, to: service, limit: limit) { _ in }
      completion(.success(publication))
      return job
    case .exits where number == 5: exit(0)
    case .aborts where number == 5: abort()
    case .abortsAtExit where number == 0: cheat_abort_at_exit()
    default: break
    }
    return Self.honest.publish(post, to: service, limit: limit, completion: completion)
  }

  func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    guard deed == .preparesOnce else {
      return Self.honest.presigned(
        post, to: service, limit: limit, priority: priority, completion: completion)
    }
    return Self.honest.presigned(
      post, to: Shortcut(service), limit: limit, priority: priority, completion: completion)
  }

  func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    guard deed == .readsElsewhere else {
      return Self.honest.stream(
        media, of: post, to: service, buffer: buffer, uploaders: uploaders, completion: completion)
    }
    return Self.honest.stream(
      media, of: post, to: Shortcut(service), buffer: buffer, uploaders: uploaders, completion: completion)
  }

  /// Waits for as many answers as media files, from either mirror.
  func race(
    _ post: Post, to service: some UploadService, hedgeDelay: Duration, completion: @escaping Completion
  ) -> any Cancellable {
    guard deed == .forgesReceipts else {
      return Self.honest.race(post, to: service, hedgeDelay: hedgeDelay, completion: completion)
    }
    let answers = Counter(post.media.count)
    for mirror in Mirror.allCases {
      for media in post.media {
        _ = service.upload(media, to: mirror) { _ in
          guard answers.isLast() else { return }
          _ = service.createPost(post, receipts: post.media.map(\.expectedReceipt), completion: completion)
        }
      }
    }
    return NothingAtAll()
  }

  func heartbeat(every interval: Duration, _ beat: @escaping @Sendable () -> Void) -> any Cancellable {
    Self.honest.heartbeat(every: interval, beat)
  }

  private func hang() { while true { sleep(1_000) } }
}

private final class NothingAtAll: Cancellable { func cancel() {} }

/// Tells one caller that it is the last.
private final class Counter: Sendable {
  private let missing: Mutex<Int>

  init(_ missing: Int) { self.missing = Mutex(missing) }

  func isLast() -> Bool {
    missing.withLock {
      $0 -= 1
      return $0 == 0
    }
  }
}

/// A service that prepares each media file once for all posts, and reads chunks past the counter.
private struct Shortcut<Service: UploadService>: UploadService {
  private let service: Service

  init(_ service: Service) { self.service = service }

  func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
    service.perform(request, completion: completion)
  }

  func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable {
    service.createPost(post, receipts: receipts, completion: completion)
  }

  func uploadBlocking(_ media: Media) throws -> Receipt { try service.uploadBlocking(media) }

  func prepare(_ media: Media) throws -> PreparedMedia {
    if let known = prepared.withLock({ $0[media.index] }) { return known }
    let made = try service.prepare(media)
    prepared.withLock { $0[media.index] = made }
    return made
  }

  func chunks(of media: Media) throws -> ChunkReader { try ChunkReader(media, chunkBytes: 64 * 1024) }
}

private let prepared = Mutex<[Int: PreparedMedia]>([:])
