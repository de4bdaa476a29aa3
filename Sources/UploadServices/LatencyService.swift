import RawThreads
import UploadScenario

/// A service that answers each upload after the time that a trace gives it, on one thread of its own.
///
/// An upload's time starts when it is asked for, so no contender gains by asking on a busy thread. A cancelled
/// upload is answered promptly. The thread sleeps until the next deadline, and is woken early only for an earlier
/// one or a cancellation. Once the last reference is gone it answers what it was asked, in time, and ends.
public final class LatencyService: UploadService {
  private let timer: LatencyTimer
  private let ledger: Ledger
  private let trace: LatencyTrace

  /// A service for the post that `trace` was drawn for; what the trace does not know takes no time.
  public init(ledger: Ledger, faults: Faults, trace: LatencyTrace) {
    self.ledger = ledger
    self.trace = trace
    let timer = LatencyTimer(answers: MadeUpAnswers(ledger: ledger, faults: faults))
    self.timer = timer
    _ = RawThread(name: "latency-service") { timer.run() }
  }

  deinit { timer.inbox.close() }

  public func upload(
    _ media: Media, completion: @escaping @Sendable (Result<Receipt, any Error>) -> Void
  ) -> any Cancellable {
    ledger.uploadStarted(media.index)
    return accept(.upload(media, completion), afterNanoseconds: nanoseconds(of: media.index))
  }

  public func lookUp(
    _ detail: PostDetail, of post: Post, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) -> any Cancellable {
    ledger.uploadStarted(detail.rawValue)
    return accept(.lookup(detail, completion), afterNanoseconds: nanoseconds(of: detail.rawValue))
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

  private func accept(_ job: Job, afterNanoseconds nanoseconds: UInt64) -> any Cancellable {
    let request = LatencyRequest(
      job, deadlineNanoseconds: MonotonicClock.nanoseconds() + nanoseconds, inbox: timer.inbox)
    timer.inbox.push(request, neededByNanoseconds: request.deadlineNanoseconds)
    return request
  }
}
