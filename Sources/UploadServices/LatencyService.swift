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

  /// A service for the post that `trace` was drawn for; a media that the trace does not know takes no time.
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
    let times = trace.uploadNanoseconds
    return accept(
      .upload(media, completion),
      afterNanoseconds: times.indices.contains(media.index) ? times[media.index] : 0)
  }

  public func createPost(
    _ post: Post, receipts: [Receipt],
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
  ) -> any Cancellable {
    accept(.post(post, receipts, completion), afterNanoseconds: trace.postNanoseconds)
  }

  private func accept(_ job: Job, afterNanoseconds nanoseconds: UInt64) -> any Cancellable {
    let request = LatencyRequest(
      job, deadlineNanoseconds: MonotonicClock.nanoseconds() + nanoseconds, inbox: timer.inbox)
    timer.inbox.push(request, neededByNanoseconds: request.deadlineNanoseconds)
    return request
  }
}
