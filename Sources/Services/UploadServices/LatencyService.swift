import RawThreads
import UploadScenario

/// A service that answers each upload after the time that a trace gives it, on one thread of its own.
///
/// Its blocking call takes the same time. An upload's time starts when it is asked for, so no contender gains by asking on a busy thread. A cancelled
/// upload is answered promptly. The thread sleeps until the next deadline, and is woken early only for an earlier
/// one or a cancellation. Once the last reference is gone, and that to all who share the thread, it answers what it was
/// asked, in time, and ends.
public final class LatencyService: UploadService {
  private let timer: LatencyTimer
  private let ledger: Ledger
  private let trace: LatencyTrace
  private let answers: MadeUpAnswers
  private let local: LocalWork
  private let lease: ThreadLease
  /// When a request is answered that is not, unless somebody cancels it: in ten years.
  private static let silenceNanoseconds: UInt64 = 315_360_000_000_000_000

  /// A service for the post that `trace` was drawn for; what the trace does not know takes no time.
  public convenience init(
    ledger: Ledger, faults: Faults, trace: LatencyTrace, preparePasses: Int = 1, chunkBytes: Int = 64 * 1024
  ) {
    let answers = MadeUpAnswers(ledger: ledger, faults: faults)
    self.init(
      answers, trace, LocalWork(ledger: ledger, preparePasses: preparePasses, chunkBytes: chunkBytes),
      on: Self.startThread(for: [answers]))
  }

  /// A service for each ledger, with the same trace for all, all answering on one thread.
  public static func sharing(
    ledgers: [Ledger], faults: Faults, trace: LatencyTrace, preparePasses: Int = 1,
    chunkBytes: Int = 64 * 1024
  ) -> [LatencyService] {
    let answers = ledgers.map { MadeUpAnswers(ledger: $0, faults: faults) }
    let thread = startThread(for: answers)
    return answers.map {
      LatencyService(
        $0, trace, LocalWork(ledger: $0.ledger, preparePasses: preparePasses, chunkBytes: chunkBytes),
        on: thread)
    }
  }

  private init(
    _ answers: MadeUpAnswers, _ trace: LatencyTrace, _ local: LocalWork,
    on thread: (timer: LatencyTimer, lease: ThreadLease)
  ) {
    self.answers = answers
    self.trace = trace
    self.local = local
    ledger = answers.ledger
    (timer, lease) = thread
  }

  private static func startThread(for answers: [MadeUpAnswers]) -> (LatencyTimer, ThreadLease) {
    let timer = LatencyTimer()
    _ = RawThread(name: "latency-service") { withExtendedLifetime(answers) { timer.run() } }
    return (timer, ThreadLease { timer.inbox.close() })
  }

  public func perform(
    _ request: Request, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    let attempt = ledger.requestStarted(request)
    let job = Job.request(request, attempt: attempt, completion)
    let isSilent = answers.staysSilent(request, attempt: attempt)
    return accept(
      job, afterNanoseconds: isSilent ? Self.silenceNanoseconds : nanoseconds(of: request.ledgerIndex))
  }

  public func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    ledger.postRequested()
    return accept(.post(post, receipts, completion), afterNanoseconds: trace.postNanoseconds)
  }

  private func nanoseconds(of index: Int) -> UInt64 {
    let times = trace.uploadNanoseconds
    return times.indices.contains(index) ? times[index] : 0
  }

  public func uploadBlocking(_ media: Media) throws -> Receipt {
    let attempt = ledger.requestStarted(.upload(media))
    let deadline = MonotonicClock.nanoseconds() + nanoseconds(of: media.index)
    let sleep = Parker()
    while MonotonicClock.nanoseconds() < deadline { sleep.park(untilNanoseconds: deadline) }
    return try answers.answerBlocking(.upload(media), attempt: attempt)
  }

  public func prepare(_ media: Media) throws -> PreparedMedia { try local.prepare(media) }

  public func chunks(of media: Media) throws -> ChunkReader { try local.chunks(of: media) }

  private func accept(_ job: Job, afterNanoseconds nanoseconds: UInt64) -> any Cancellable {
    let request = LatencyRequest(
      job, .passUnretained(answers), deadlineNanoseconds: MonotonicClock.nanoseconds() + nanoseconds,
      inbox: timer.inbox)
    timer.inbox.push(request, neededByNanoseconds: request.deadlineNanoseconds)
    return request
  }
}
