import Dispatch
import Foundation
import RawThreads
import UploadScenario

extension PatternCheck {
  /// Posts one after another: what is left of each would pile up. Then the handles of finished posts are held: they must be as
  /// small for a large post as for a small one.
  func nothingGrows() {
    guard kit.countsLeftovers else { return }
    // What is made once, and caches, fill; those of Dispatch have room for 1,024 jobs a thread.
    let jobs = DispatchGroup()
    for _ in 0..<8_192 { DispatchQueue.global().async(group: jobs) {} }
    jobs.wait()
    let count = 120
    for isCancelled in [false, true] where !isOver {
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
    guard !isOver, !pattern.looksUp else { return }
    let (small, large) = (10, pattern.blocksThreads ? 40 : 110)
    var perUpload = Int.max
    // A handle may keep the publication, which has a receipt for each upload. What a thread that is kept from running has yet to let go
    // is not there each time.
    for _ in 0..<3 where perUpload > MemoryLayout<Receipt>.stride + 8 {
      guard let most = bytesHeld(by: large), let least = bytesHeld(by: small) else { return }
      perUpload = min(perUpload, (most - least) / (large - small))
    }
    if perUpload > MemoryLayout<Receipt>.stride + 8 {
      report(
        Breach(
          .nothingGrows, seen: "a handle that keeps \(perUpload) bytes an upload",
          promised: "the publication at most"),
        scenario: "posts of \(small) and of \(large) that have ended, their handles held")
    }
  }

  /// Of those that are there after many posts, so many that end within a tenth of a second: each outlived its post. Those of pools stay
  /// for seconds. Where there are few, nobody waits.
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

  /// The least that eight handles of finished posts keep each, in bytes; the service and the post are not theirs. `nil` when
  /// the time was over before all had ended.
  func bytesHeld(by uploads: Int) -> Int? {
    var held: [Int] = []
    for _ in 0..<2 {
      var jobs = post(8, of: uploads)
      if isOver { return nil }
      let with = leftovers().bytes
      for place in jobs.indices { jobs[place].handle = nil }
      held.append((with - leftovers().bytes) / 8)
    }
    return held.min()
  }

  /// Publishes one after another, on threads of the service's own. Those that are cancelled wait for an hour for what may be
  /// waited for, the others hardly at all: there are timers that are cancelled, and timers that fire.
  ///
  /// - Returns: the handles of the posts, which have ended, with the backends of their services.
  @discardableResult
  private func post(_ count: Int, of uploads: Int = 3, isCancelled: Bool = false)
    -> [(backend: Backend, handle: (any Cancellable)?)]
  {
    let scenario = Scenario(tried: pattern, uploads) {
      $0.hedgeDelay = isCancelled ? .seconds(3600) : .microseconds(20)
      $0.retry = RetryPolicy(
        attemptDeadline: .seconds(3600), deadline: .seconds(3600), firstBackoff: .microseconds(20))
      if pattern.takesLimit { $0.limit = 4 }
    }
    var hooks = Backend.Hooks()
    if pattern.retries {
      // The first attempt fails, for now: what waits for the next is a timer that fires.
      hooks.onThreads = { call in
        guard call.ledgerIndex == 0, call.attempt == 1 else { return .success(()) }
        return .failure(scenario.refusal(ofLedgerIndex: 0, isTransient: true))
      }
    }
    var jobs: [(backend: Backend, handle: (any Cancellable)?)] = []
    for _ in 0..<count where !isOver {
      // Made-up bytes can always be read.
      let promise = try! Expectation(scenario: scenario, post: scenario.makePost(), ending: .publication)
      let backend = Backend(promise, hooks: hooks)
      if !isCancelled { backend.change { $0.answering = .onThreads(threads) } }
      let handle = backend.start(contender)
      if isCancelled {
        backend.tell { $0.told() }
        handle.cancel()
        if pattern.blocksThreads { backend.answerBlocking() }
      }
      // Until the completion has been let go; then whatever waits ends.
      var watch = patience.watch()
      while !backend.read({ $0.isCompletionGone }) {
        backend.answerCancelled(.stops)
        if !watch.wait(on: backend.parker!) { break }
      }
      backend.release()
      jobs.append((backend, handle))
    }
    return jobs
  }
}
