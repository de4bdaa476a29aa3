import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import UploadScenario

/// Where the service calls completions.
@Suite(.ownThread) struct ContextTests {
  struct Seen {
    var indices: [Int] = []
    var onAnsweringThread = 0
    var (current, overlapping) = (0, 0)
    var isServiceItself = false
  }

  /// Uploads all media files at once and records how the answers come.
  private struct Probe: PartialContender {
    let name = "probe"
    let summary = "notes where completions come"
    let patterns = [Pattern.publish]
    let notes: Notes

    func publish(
      _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
    ) -> any Cancellable {
      notes.seen.withLock { $0.isServiceItself = service is HoldingService }
      for media in post.media { _ = service.upload(media) { _ in notes.completed(media.index) } }
      return NoHandle()
    }
  }

  private final class Notes: Sendable {
    let seen = Mutex(Seen())
    let completions = DispatchGroup()
    private let answering = ObjectIdentifier(Thread.current)

    func completed(_ index: Int) {
      seen.withLock { seen in
        seen.indices.append(index)
        if ObjectIdentifier(Thread.current) == answering { seen.onAnsweringThread += 1 }
        if seen.current > 0 { seen.overlapping += 1 }
        seen.current += 1
      }
      // Long enough for another completion to begin, if it can.
      let end = DispatchTime.now() + .microseconds(50)
      while DispatchTime.now() < end {}
      seen.withLock { $0.current -= 1 }
      completions.leave()
    }
  }

  private final class NoHandle: Cancellable { func cancel() {} }

  private final class HoldingService: UploadService {
    let completions = Mutex<[Callback<Receipt>]>([])

    func perform(_ request: Request, completion: @escaping Callback<Receipt>) -> any Cancellable {
      completions.withLock { $0.append(completion) }
      return NoHandle()
    }

    func createPost(_ post: Post, receipts: [Receipt], completion: @escaping Completion) -> any Cancellable {
      NoHandle()
    }
    func uploadBlocking(_ media: Media) throws -> Receipt { media.expectedReceipt }
    func prepare(_ media: Media) throws -> PreparedMedia { try PreparedMedia(media, passes: 1) }
    func chunks(of media: Media) throws -> ChunkReader { try ChunkReader(media, chunkBytes: 8) }
  }

  private static let count = 20

  /// Answers all uploads on this thread, in the order of their media files.
  private func seen(on context: CompletionContext?) -> Seen {
    let (notes, service) = (Notes(), HoldingService())
    let scenario = Scenario(name: "context", photos: Self.count, payloadBytes: 8) { $0.context = context }
    let post = Post.synthetic(photos: Self.count, videos: 0, payloadBytes: 8, seed: 1)
    _ = Probe(notes: notes).start(scenario, post: post, service: service) { _ in }
    for completion in service.completions.withLock(\.self) {
      notes.completions.enter()
      completion(.failure(CancellationError()))
    }
    notes.completions.wait()
    return notes.seen.withLock(\.self)
  }

  @Test func `on a queue, completions come one at a time, in the order of the answers`() {
    let seen = seen(on: .queue)
    #expect(seen.indices == Array(0..<Self.count))
    #expect(seen.overlapping == 0)
    #expect(seen.onAnsweringThread == 0)
  }

  @Test func `in the pool, no completion comes on the answering thread`() {
    let seen = seen(on: .pool)
    #expect(seen.indices.sorted() == Array(0..<Self.count))
    #expect(seen.onAnsweringThread == 0)
  }

  @Test(arguments: [nil, CompletionContext.inline])
  func `inline, a contender gets the service itself, without a wrapper`(_ context: CompletionContext?) {
    let seen = seen(on: context)
    #expect(seen.isServiceItself)
    #expect(seen.onAnsweringThread == Self.count)
  }
}
