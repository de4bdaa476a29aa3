import RawThreads
import Synchronization
import UploadScenario

/// A service that answers nobody until all the uploads of a post are in flight, then all in a given order without a wait,
/// on one thread of its own.
///
/// What latencies cannot promise: however many uploads there are and however long they take to start, they are all in
/// flight at once and end in this very order. A cancelled upload is answered promptly. Once the last reference is gone, the
/// thread answers what it holds and ends.
public final class HeldService: UploadService {
  private let inbox: Inbox<HeldMessage>
  private let ledger: Ledger
  private let answers: MadeUpAnswers
  private let local: LocalWork
  /// The place of each upload in the order of the answers.
  private let places: [Int]
  private let lease: ThreadLease

  /// - Parameters:
  ///   - uploads: of one post.
  ///   - held: how many are waited for; those that come after them are answered at once, until the next post.
  public init(ledger: Ledger, uploads: Int, held: Int, order: CompletionOrder, seed: UInt64) {
    let (inbox, answers) = (Inbox<HeldMessage>(), MadeUpAnswers(ledger: ledger, faults: Faults()))
    self.inbox = inbox
    self.ledger = ledger
    self.answers = answers
    local = LocalWork(ledger: ledger, preparePasses: 0, chunkBytes: 8)
    places = Self.places(uploads, order, seed: seed)
    lease = ThreadLease { inbox.close() }
    let gate = HeldGate(slots: uploads, held: min(held, uploads), answers: answers)
    _ = RawThread(name: "held-service") { gate.serve(inbox) }
  }

  private static func places(_ count: Int, _ order: CompletionOrder, seed: UInt64) -> [Int] {
    switch order {
    case .forward: return Array(0..<count)
    case .reverse: return (0..<count).reversed()
    case .shuffled:
      var generator = SeededGenerator(seed: seed)
      return (0..<count).shuffled(using: &generator)
    }
  }

  public func perform(
    _ request: Request, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    let attempt = ledger.requestStarted(request)
    let index = request.ledgerIndex
    return accept(
      .request(request, attempt: attempt, completion),
      place: places.indices.contains(index) ? places[index] : nil)
  }

  public func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    ledger.postRequested()
    return accept(.post(post, receipts, completion), place: nil)
  }

  /// Is answered at once: whoever blocks its thread for it might keep the others from starting.
  public func uploadBlocking(_ media: Media) throws -> Receipt {
    try answers.answerBlocking(.upload(media), attempt: ledger.requestStarted(.upload(media)))
  }

  public func prepare(_ media: Media) throws -> PreparedMedia { try local.prepare(media) }

  public func chunks(of media: Media) throws -> ChunkReader { try local.chunks(of: media) }

  private func accept(_ job: Job, place: Int?) -> any Cancellable {
    let request = HeldRequest(job, place: place, inbox: inbox)
    inbox.push(request)
    return request
  }
}

/// What the service's thread keeps: the uploads that are held, by their places.
private final class HeldGate: @unchecked Sendable {
  // Invariant: only the thread that runs `serve` touches it.
  private var slots: [HeldRequest?]
  private let held: Int
  private let answers: MadeUpAnswers
  private var arrived = 0

  init(slots: Int, held: Int, answers: MadeUpAnswers) {
    self.slots = Array(repeating: nil, count: slots)
    self.held = held
    self.answers = answers
  }

  func serve(_ inbox: Inbox<HeldMessage>) {
    while true {
      let isLast = inbox.isClosed
      if inbox.drain({ $0.arrive(at: self) }) { continue }
      if isLast { break }
      inbox.wait(untilNanoseconds: nil)
    }
    answerHeld()
  }

  func hold(_ request: HeldRequest, at place: Int) {
    arrived += 1
    if arrived > held { return answer(request) }
    slots[place] = request
    if arrived == held { answerHeld() }
  }

  /// The next post's uploads are held again.
  func close() { arrived = 0 }

  func answer(_ request: HeldRequest) {
    guard let job = request.job.take() else { return }
    answers.answer(job, isCancelled: request.isCancelled)
  }

  private func answerHeld() {
    for place in slots.indices {
      guard let request = slots[place] else { continue }
      slots[place] = nil
      answer(request)
    }
  }
}

/// What the service's thread is told.
private class HeldMessage: InboxItem, @unchecked Sendable {
  func arrive(at gate: HeldGate) { fatalError("a message says what it means") }
}

private final class HeldRequest: HeldMessage, Cancellable, @unchecked Sendable {
  // Invariant: after init only the service's thread touches it, which the inbox has handed the request to.
  var job: Job?
  /// nil: it is not held.
  private let place: Int?
  private let inbox: Inbox<HeldMessage>
  private let cancelled = Atomic<Bool>(false)

  init(_ job: Job, place: Int?, inbox: Inbox<HeldMessage>) {
    self.job = job
    self.place = place
    self.inbox = inbox
  }

  var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  func cancel() {
    if !cancelled.exchange(true, ordering: .relaxed) { inbox.push(HeldCancellation(of: self)) }
  }

  override func arrive(at gate: HeldGate) {
    if let place { return gate.hold(self, at: place) }
    if case .post = job { gate.close() }
    gate.answer(self)
  }
}

private final class HeldCancellation: HeldMessage, @unchecked Sendable {
  private let request: HeldRequest

  init(of request: HeldRequest) { self.request = request }

  /// It comes out of the inbox behind its request.
  override func arrive(at gate: HeldGate) { gate.answer(request) }
}
