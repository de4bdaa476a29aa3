import Synchronization
import UploadScenario

/// Does one post after another, each in the same time, on simulated time; and misbehaves as told.
final class QueueContender: PartialContender {
  struct Manner: Sendable {
    /// What a post takes once it is its turn.
    var serviceNanoseconds: UInt64 = 100_000
    /// Posts are done all at once instead, each with so long from one upload to the next.
    var uploadNanoseconds: UInt64?
    /// Nothing is done meanwhile; since the first post.
    var stall: Range<UInt64> = 0..<0
    /// The start of this post returns only after so long.
    var blockedStart: (post: Int, nanoseconds: UInt64)?
    /// This one never ends, unless it is cancelled.
    var hangs: Int?
    var hangsEvenIfCancelled = false
    /// The completion of this one is let go and never called.
    var loses: Int?
  }

  let patterns = [Pattern.publish]
  let name = "queue"
  let summary = "a fake"
  private let time: SimulatedTime
  private let manner: Manner
  private let state = Mutex(State())

  private struct State {
    var count = 0
    var begin: UInt64 = 0
    var freeAt: UInt64 = 0
  }

  init(_ time: SimulatedTime, _ manner: Manner = Manner()) {
    self.time = time
    self.manner = manner
  }

  private final class Job: Cancellable {
    let completion: Mutex<Completion?>
    let endsIfCancelled: Bool
    init(_ completion: @escaping Completion, endsIfCancelled: Bool) {
      self.completion = Mutex(completion)
      self.endsIfCancelled = endsIfCancelled
    }
    func cancel() { if endsIfCancelled { end(.failure(CancellationError())) } }
    func end(_ result: Result<Publication, any Error>) {
      let completion = completion.withLock { $0.take() }
      completion?(result)
    }
  }

  func publish(_ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion)
    -> any Cancellable
  {
    let (number, end) = state.withLock { state in
      defer { state.count += 1 }
      if state.count == 0 { state.begin = time.now }
      let begin = max(time.now, state.freeAt)
      let since = begin - state.begin
      let stalled = manner.stall.contains(since) ? manner.stall.upperBound - since : 0
      state.freeAt = begin + stalled + manner.serviceNanoseconds
      return (state.count, state.freeAt)
    }
    let job = Job(completion, endsIfCancelled: !manner.hangsEvenIfCancelled)
    if number == manner.loses { job.completion.withLock { $0 = nil } }
    if let interval = manner.uploadNanoseconds {
      uploadSlowly(post, to: service, every: interval, for: job)
    } else if number != manner.hangs {
      time.at(end) {
        guard job.completion.withLock({ $0 != nil }) else { return }
        let receipts = Mutex<[Receipt]>([])
        for media in post.media {
          _ = service.upload(media) { result in
            if case .success(let receipt) = result { receipts.withLock { $0.append(receipt) } }
          }
        }
        _ = service.createPost(post, receipts: receipts.withLock { $0 }) { job.end($0) }
      }
    }
    if let blocked = manner.blockedStart, blocked.post == number {
      time.pass(until: time.now + blocked.nanoseconds)
    }
    return job
  }

  private func uploadSlowly(
    _ post: Post, to service: some UploadService, every interval: UInt64, for job: Job
  ) {
    let receipts = Mutex<[Receipt]>([])
    for (index, media) in post.media.enumerated() {
      time.at(time.now + UInt64(index + 1) * interval) {
        guard job.completion.withLock({ $0 != nil }) else { return }
        _ = service.upload(media) { result in
          if case .success(let receipt) = result { receipts.withLock { $0.append(receipt) } }
        }
        guard media.index == post.media.count - 1 else { return }
        _ = service.createPost(post, receipts: receipts.withLock { $0 }) { job.end($0) }
      }
    }
  }
}
