import RawThreads

/// The latency service's thread: a heap of deadlines, and the inbox that fills it.
final class LatencyTimer: @unchecked Sendable {
  let inbox = Inbox<LatencyMessage>()
  // Invariant: only the thread that runs `run` touches these two.
  private var heap = DeadlineHeap<LatencyRequest>()
  /// Cancelled requests that were answered at their deadline, before their cancellation came out of the inbox.
  /// The thread stays for it: left in the inbox, it would keep the inbox alive through its request.
  private var cancellationsDue = 0

  /// Answers until the inbox is closed and everything in it was answered.
  func run() {
    while true {
      let isLast = inbox.isClosed
      inbox.drain { $0.arrive(at: self) }
      guard let next = heap.first else {
        if isLast, cancellationsDue == 0 { return }
        inbox.wait(untilNanoseconds: nil)
        continue
      }
      if next.deadlineNanoseconds > MonotonicClock.nanoseconds() {
        inbox.wait(untilNanoseconds: next.deadlineNanoseconds)
        continue
      }
      heap.remove(next)
      guard let (job, isCancelled) = next.take() else { continue }
      if isCancelled { cancellationsDue += 1 }
      next.answer(job, isCancelled: isCancelled)
    }
  }

  func start(_ request: LatencyRequest) { heap.insert(request) }

  func cancel(_ request: LatencyRequest) {
    heap.remove(request)
    guard let (job, isCancelled) = request.take() else {
      cancellationsDue -= 1
      return
    }
    request.answer(job, isCancelled: isCancelled)
  }
}
