import RawThreads
import UploadScenario

/// A service that answers each upload after the time that a trace gives it, on one thread of its own.
///
/// Its blocking call takes the same time. An upload's time starts when it is asked for, so no contender gains by asking on a busy thread. A cancelled
/// upload is answered promptly. The thread sleeps until the next deadline, and is woken early only for an earlier
/// one or a cancellation. Once the last reference is gone it answers what it was asked, in time, and ends.
public final class LatencyService: UploadService {
  private let timer: LatencyTimer
  private let ledger: Ledger
  private let trace: LatencyTrace
  private let answers: MadeUpAnswers
  private let local: LocalWork
  /// When a request is answered that is not, unless somebody cancels it: in ten years.
  private static let silenceNanoseconds: UInt64 = 315_360_000_000_000_000

  /// A service for the post that `trace` was drawn for; what the trace does not know takes no time.
  public init(
    ledger: Ledger, faults: Faults, trace: LatencyTrace, preparePasses: Int = 1, chunkBytes: Int = 64 * 1024
  ) {
    self.ledger = ledger
    local = LocalWork(ledger: ledger, preparePasses: preparePasses, chunkBytes: chunkBytes)
    answers = MadeUpAnswers(ledger: ledger, faults: faults)
    self.trace = trace
    let timer = LatencyTimer(answers: answers)
    self.timer = timer
    _ = RawThread(name: "latency-service") { timer.run() }
  }

  deinit { timer.inbox.close() }

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
    accept(.post(post, receipts, completion), afterNanoseconds: trace.postNanoseconds)
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
      job, deadlineNanoseconds: MonotonicClock.nanoseconds() + nanoseconds, inbox: timer.inbox)
    timer.inbox.push(request, neededByNanoseconds: request.deadlineNanoseconds)
    return request
  }
}
