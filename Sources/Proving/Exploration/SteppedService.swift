import UploadScenario

/// A service that holds everything until the schedule answers it. For one thread.
final class SteppedService: UploadService, @unchecked Sendable {
  // Invariant: one thread alone explores; contenders that are explored have no other.
  struct Held {
    let number: Int
    let request: Request
    let complete: @Sendable (Result<Receipt, any Error>) -> Void
    var isCancelled = false
  }

  struct HeldPost {
    let post: Post
    let receipts: [Receipt]
    let complete: @Sendable (Result<Publication, any Error>) -> Void
    var isCancelled = false
  }

  private(set) var held: [Held] = []
  private(set) var post: HeldPost?
  private(set) var posts: [[Receipt]] = []
  /// How often each place of the ledger was asked for.
  private(set) var starts: [Int: Int] = [:]
  private(set) var startCount = 0
  private(set) var chainsUnderWay = 0
  private(set) var mostChains = 0
  private(set) var mostHeld = 0
  let ledger = Ledger(requestCount: 0) { 0 }
  private let chunkBytes: Int
  /// The media whose blocking upload fails.
  private let failingMedia: Int?

  init(chunkBytes: Int, failingMedia: Int?) {
    self.chunkBytes = chunkBytes
    self.failingMedia = failingMedia
  }

  var uncancelled: Int { held.count { !$0.isCancelled } + (post.map { $0.isCancelled ? 0 : 1 } ?? 0) }

  func perform(
    _ request: Request, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    let number = startCount
    started(request)
    held.append(Held(number: number, request: request, complete: completion))
    mostHeld = max(mostHeld, held.count)
    return Handle { [weak self] in
      guard let self, let index = held.firstIndex(where: { $0.number == number }) else { return }
      held[index].isCancelled = true
    }
  }

  func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    posts.append(receipts)
    self.post = HeldPost(post: post, receipts: receipts, complete: completion)
    return Handle { [weak self] in self?.post?.isCancelled = true }
  }

  func uploadBlocking(_ media: Media) throws -> Receipt {
    started(.upload(media))
    if media.index == failingMedia { throw UploadFailure(mediaIndex: media.index, reason: "refused") }
    return media.expectedReceipt
  }

  func prepare(_ media: Media) throws -> PreparedMedia {
    chainsUnderWay += 1
    mostChains = max(mostChains, chainsUnderWay)
    return try PreparedMedia(media, passes: 1)
  }

  func chunks(of media: Media) throws -> ChunkReader {
    try ChunkReader(media, chunkBytes: chunkBytes, ledger: ledger)
  }

  func answer(at index: Int, _ error: (any Error)?) {
    let call = held.remove(at: index)
    switch call.request {
    case .uploadTo: chainsUnderWay -= 1
    case .uploadChunk(let chunk):
      let receipt = chunk.receipt
      chunk.giveBack()
      return call.complete(error.map { .failure($0) } ?? .success(receipt))
    default: break
    }
    call.complete(error.map { .failure($0) } ?? .success(call.request.receipt))
  }

  func answerPost(_ error: (any Error)?) {
    guard let post = post.take() else { return }
    post.complete(
      error.map { .failure($0) } ?? .success(Publication(postID: post.post.id, receipts: post.receipts)))
  }

  private func started(_ request: Request) {
    startCount += 1
    starts[request.ledgerIndex, default: 0] += 1
  }

  private final class Handle: Cancellable {
    private let onCancel: @Sendable () -> Void
    init(_ onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }
    func cancel() { onCancel() }
  }
}
