import RawThreads
import UploadScenario

extension PatternCheck {
  /// Posts one after another: what is left of each would pile up. Then the handles of finished posts are held: they must be as
  /// small for a large post as for a small one.
  func nothingGrows() {
    guard limits.countsLeftovers else { return }
    for isCancelled in [false, true] where !isOver {
      // What is made once, and caches, fill.
      _ = post(48, isCancelled: isCancelled)
      var least = Leftovers.Amount(bytes: .max, threads: .max, files: .max)
      for _ in 0..<4 where !isOver {
        let before = Leftovers.current
        post(64, isCancelled: isCancelled)
        least = least.least(Leftovers.current - before)
      }
      let ending = isCancelled ? "64 posts after another, cancelled" : "64 posts after another"
      // Half a small object a post: less is noise of the allocator's own.
      if least.bytes >= 64 * 12 { grows("\(least.bytes / 64) bytes a post", ending) }
      if least.threads >= 16 { grows("\(least.threads) threads", ending) }
      if least.files >= 16 { grows("\(least.files) open files", ending) }
    }
    guard !isOver, !pattern.looksUp else { return }
    let (small, large) = (bytesHeld(by: 10), bytesHeld(by: pattern.blocksThreads ? 60 : 200))
    let perUpload = (large - small) / (pattern.blocksThreads ? 50 : 190)
    if perUpload >= 4 {
      report(
        Breach(
          .nothingGrows, seen: "a handle that keeps \(perUpload) bytes an upload",
          promised: "nothing of its post's size"),
        scenario: "posts of 10 and of 200, their handles held")
    }
  }

  private func grows(_ seen: String, _ scenario: String) {
    report(Breach(.nothingGrows, seen: seen, promised: "nothing left of any"), scenario: scenario)
  }

  /// The least that sixteen handles of finished posts keep each, in bytes.
  private func bytesHeld(by uploads: Int) -> Int {
    var least = Int.max
    for _ in 0..<3 where !isOver {
      let before = Leftovers.current.bytes
      var handles: [any Cancellable] = []
      handles.reserveCapacity(16)
      for _ in 0..<16 { handles += post(1, of: uploads) }
      least = min(least, (Leftovers.current.bytes - before) / 16)
      withExtendedLifetime(handles) {}
    }
    return least
  }

  /// Publishes one after another, on threads of the service's own; with an hour to wait for what may be waited for.
  @discardableResult
  private func post(_ count: Int, of uploads: Int = 3, isCancelled: Bool = false) -> [any Cancellable] {
    (0..<count).compactMap { _ in
      isOver
        ? nil
        : Player.publish(contender, .growing(pattern, uploads), threads, patience, isCancelled: isCancelled)
    }
  }
}

extension Scenario {
  fileprivate static func growing(_ pattern: Pattern, _ uploads: Int) -> Scenario {
    Scenario(
      name: pattern.rawValue, pattern: pattern, service: pattern.blocksThreads ? .blocking : .instant,
      photos: pattern.isChunked ? 1 : pattern.looksUp ? 0 : uploads,
      payloadBytes: pattern.isChunked ? 8 * uploads : 24
    ) {
      $0.chunkBytes = 8
      $0.hedgeDelay = .seconds(3600)
      $0.retry = RetryPolicy(attemptDeadline: .seconds(3600), deadline: .seconds(3600))
      if pattern.takesLimit { $0.limit = 4 }
    }
  }
}

extension Player {
  /// One post, which is published or cancelled; returns its handle when nothing else of it is left.
  static func publish(
    _ contender: any Contender, _ scenario: Scenario, _ threads: AnsweringThreads, _ patience: Patience,
    isCancelled: Bool
  ) -> (any Cancellable)? {
    func start(_ contender: some Contender, _ backend: Backend, _ post: Post) -> any Cancellable {
      backend.start(contender, post)
    }
    let post = scenario.makePost()
    guard let expectation = try? Expectation(scenario: scenario, post: post, ending: .publication) else {
      return nil
    }
    let backend = Backend(expectation)
    if !isCancelled { backend.change { $0.answering = .onThreads(threads) } }
    let handle = start(contender, backend, post)
    if isCancelled {
      backend.tell { $0.told() }
      handle.cancel()
      if scenario.pattern.blocksThreads { backend.answerBlocking() }
    }
    var watch = patience.watch(isTimed: false)
    while !backend.read({ $0.isCompletionGone }) {
      backend.answerCancelled(.stops)
      if backend.awaitChange(untilNanoseconds: watch.nextLookNanoseconds) {
        watch.somethingHappened()
      } else if watch.isOver() {
        break
      }
    }
    return handle
  }
}
