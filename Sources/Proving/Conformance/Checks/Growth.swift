import Dispatch
import Foundation
import RawThreads
import UploadScenario

extension PatternCheck {
  /// Posts one after another: what is left of each would pile up.
  func nothingGrows() {
    guard kit.countsLeftovers else { return }
    // What is made once, and caches, fill; those of Dispatch have room for 1,024 jobs a thread.
    let jobs = DispatchGroup()
    for _ in 0..<8_192 { DispatchQueue.global().async(group: jobs) {} }
    jobs.wait()
    let count = 120
    let canBeCancelled = !knownBroken.contains(.cancellation)
    for isCancelled in [false, true] where !isOver && (!isCancelled || canBeCancelled) {
      post(count, isCancelled: isCancelled)
      var (bytes, threads, files) = (Int.max, Int.max, Int.max)
      // Caches that fill and empty make single ones differ: of many, one leaves nothing where nothing piles up. A thread of
      // Dispatch that is new takes in some 1,700 posts before its cache is full.
      for _ in 0..<24 where !isOver {
        let before = leftovers()
        post(count, isCancelled: isCancelled)
        let after = leftovers()
        bytes = min(bytes, after.bytes - before.bytes)
        threads = min(threads, after.threads - before.threads)
        files = min(files, after.files - before.files)
        // One of them left nothing: no pile.
        if bytes < count * noise, threads < count / 4, files < count / 4 { break }
      }
      if isOver { return }
      let ending = "\(count) posts one after another\(isCancelled ? ", cancelled" : "")"
      let keepsTimers = contender.keepsCancelledTimers && (pattern.races || pattern.retries)
      if !keepsTimers, bytes >= count * noise { grows("\(bytes / count) bytes a post", ending) }
      threads = max(threads, threadsThatEndLater())
      if threads >= count / 4 { grows("\(threads) threads", ending) }
      if files >= count / 4 { grows("\(files) open files", ending) }
    }
  }

  /// Of those that are there after many posts, so many that end within a tenth of a second: each outlived its post. Those of pools stay
  /// for seconds. Where there are few, there is no wait.
  private func threadsThatEndLater() -> Int {
    let now = Leftovers.current.threads
    if now < 30 { return 0 }
    usleep(100_000)
    return now - Leftovers.current.threads
  }

  /// So many bytes a post are no leak: less than the smallest object, or what a cache takes in now and then where threads of
  /// Dispatch and timers come and go.
  private var noise: Int { pattern.isChunked || pattern.races || pattern.retries ? 64 : 24 }

  /// What the process holds when all its threads have come to rest.
  private func leftovers() -> Leftovers {
    let end = MonotonicClock.nanoseconds() + 20_000_000
    while OtherThreads.allSleep != true, MonotonicClock.nanoseconds() < end { usleep(500) }
    return Leftovers.current
  }

  private func grows(_ seen: String, _ scenario: String) {
    report(Breach(.nothingGrows, seen: seen, promised: "nothing left of any"), scenario: scenario)
  }

  /// Publishes one after another, on threads of the service's own. Those that are cancelled wait for an hour for what may be
  /// waited for, the others hardly at all: there are timers that are cancelled, and timers that fire.
  private func post(_ count: Int, isCancelled: Bool) {
    let scenario = Scenario(tried: pattern, 3) {
      $0.context = kit.context
      $0.hedgeDelay = isCancelled ? .seconds(3600) : .microseconds(20)
      $0.retry = RetryPolicy(
        attemptDeadline: .seconds(3600), deadline: .seconds(3600), firstBackoff: .microseconds(20))
      if pattern.takesLimit, !knownBroken.contains(.limit) { $0.limit = 4 }
    }
    var hooks = Backend.Hooks()
    if pattern.retries {
      // The first attempt fails, for now: what waits for the next is a timer that fires.
      hooks.answer = { call in
        guard call.ledgerIndex == 0, call.attempt == 1 else { return .success(()) }
        return .failure(scenario.refusal(ofLedgerIndex: 0, isTransient: true))
      }
    }
    for _ in 0..<count where !isOver {
      // Made-up bytes can always be read.
      let promise = try! Expectation(scenario: scenario, post: scenario.makePost(), ending: .publication)
      let backend = Backend(promise, hooks: hooks)
      if !isCancelled { backend.change { $0.threads = threads } }
      let handle = backend.start(contender)
      if isCancelled {
        backend.tell { $0.jobCancelled() }
        handle.cancel()
        if pattern.blocksThreads { backend.answerBlocking() }
      }
      // Until the completion has been released; then what waits ends.
      var watch = patience.watch()
      while !backend.read({ $0.isCompletionGone }) {
        backend.answerCancelled(.stops)
        if !watch.wait(on: backend.parker!) { break }
      }
      backend.release(on: threads)
    }
  }
}
