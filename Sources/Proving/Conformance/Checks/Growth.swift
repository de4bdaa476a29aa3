import CLeftovers
import Dispatch
import Foundation
import RawThreads
import UploadScenario

extension PatternCheck {
  /// Publishes many posts one after another, so that a leak in each post adds up to measurable growth.
  func nothingGrows() {
    guard kit.countsLeftovers else { return }
    // Empty blocks fill Dispatch's caches before the measurement: each thread caches up to 1,024 blocks.
    let jobs = DispatchGroup()
    for _ in 0..<8_192 { DispatchQueue.global().async(group: jobs) {} }
    jobs.wait()
    let count = 120
    let canBeCancelled = !knownBroken.contains(.cancellation)
    for isCancelled in [false, true] where !isOver && (!isCancelled || canBeCancelled) {
      post(count, isCancelled: isCancelled)
      var (bytes, threads, files) = (Int.max, Int.max, Int.max)
      // The smallest of 24 measurements counts, because the cache of each new Dispatch thread grows during about 1,700 posts.
      for _ in 0..<24 where !isOver {
        let before = leftovers()
        post(count, isCancelled: isCancelled)
        let after = leftovers()
        bytes = min(bytes, after.bytes - before.bytes)
        threads = min(threads, after.threads - before.threads)
        files = min(files, after.files - before.files)
        if bytes < count * noise, threads < count / 4, files < count / 4 { break }
      }
      if isOver { return }
      let ending = "\(count) posts one after another\(isCancelled ? ", cancelled" : "")"
      let keepsTimers = contender.keepsCancelledTimers && (pattern.races || pattern.retries)
      if !keepsTimers, bytes >= count * noise { grows("\(bytes / count) bytes left by each post", ending) }
      threads = max(threads, threadsThatEndLater())
      if threads >= count / 4 { grows("\(threads) threads left", ending) }
      if files >= count / 4 { grows("\(files) open files left", ending) }
    }
  }

  /// Counts the threads that outlived their posts: those that end within 0.1 s. Idle threads of a pool stay for seconds.
  private func threadsThatEndLater() -> Int {
    let now = Leftovers.current.threads
    if now < 30 { return 0 }
    usleep(100_000)
    return now - Leftovers.current.threads
  }

  /// Growth counts as a leak from this number of bytes per post on. The caches of Dispatch and of timers may grow by less.
  private var noise: Int { pattern.isChunked || pattern.races || pattern.retries ? 64 : 24 }

  /// Counts the memory, threads and files in use when all other threads sleep, or after 20 ms.
  private func leftovers() -> Leftovers {
    let end = MonotonicClock.nanoseconds() + 20_000_000
    while OtherThreads.allSleep != true, MonotonicClock.nanoseconds() < end { usleep(500) }
    return Leftovers.current
  }

  private func grows(_ seen: String, _ scenario: String) {
    report(Breach(.nothingGrows, seen: seen, promised: "no growth from post to post"), scenario: scenario)
  }

  /// Publishes posts one after another. In cancelled posts, timers run for an hour unless the contender cancels them.
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
      // The first attempt at the first upload fails transiently, so that the timer of its backoff fires.
      hooks.answer = { call in
        guard call.ledgerIndex == 0, call.attempt == 1 else { return .success(()) }
        return .failure(scenario.refusal(ofLedgerIndex: 0, isTransient: true))
      }
    }
    for _ in 0..<count where !isOver {
      // `try!`: reading synthetic media never fails.
      let promise = try! Expectation(scenario: scenario, post: scenario.makePost(), ending: .publication)
      let backend = Backend(promise, hooks: hooks)
      if !isCancelled { backend.change { $0.threads = threads } }
      let handle = backend.start(contender)
      if isCancelled {
        backend.notify { $0.jobCancelled() }
        handle.cancel()
        if pattern.blocksThreads { backend.answerBlocking() }
      }
      var watch = hangDetector.watch()
      while !backend.read({ $0.isCompletionGone }) {
        backend.answerCancelled(.stops)
        if !watch.wait(on: backend.parker!) { break }
      }
      backend.release(on: threads)
    }
  }
}

/// The memory, threads and files in use at one time.
private struct Leftovers {
  let bytes: Int
  let threads: Int
  let files: Int

  static var current: Leftovers {
    Leftovers(
      bytes: leftover_bytes(), threads: ProcFolder.numbers(in: "/proc/self/task").count,
      files: ProcFolder.numbers(in: "/proc/self/fd").count)
  }
}
