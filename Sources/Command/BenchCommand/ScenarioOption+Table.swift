import UploadScenario

extension ScenarioOption {
  /// In the order of the help, and of the values in a scenario's name.
  static let all = posts + ofOnePattern + faults

  /// The same under their headings in the help.
  static let options =
    posts.map(\.option).titled("a post of your own, and where it goes")
    + ofOnePattern.map(\.option).titled("for one pattern only")
    + faults.map(\.option).titled("failure, cancellation, order")

  /// What is posted, and where to. Those without a binding are for `OwnScenarios`, which makes a scenario of each value.
  private static let posts: [ScenarioOption] = [
    .init(
      "--fan-out", "N,M", "how many uploads a post has (100)", for: { $0.unit == .upload }, fragment: .none),
    .init(
      "--limit", "K", "at most K uploads in flight (all at once)",
      .value(\.limit) { try $0.integer($1, in: 1...Post.mostMedia) },
      // One after another keeps any limit.
      for: { $0.takesLimit || $0.isSerial && !$0.looksUp }),
    .init(
      "--service", "A,B",
      "what is uploaded to: instant, latency, file, http or blocking (what the other options need, else instant)",
      fragment: .none),
    .init(
      "--endpoint", "URL", "where the http service uploads to; alone, with instant beside it",
      needs: Need(
        service: "http", isMet: { $0 == .http }, reason: { "\($0) is in this process" }, isShared: true),
      fragment: .none),
    .init(
      "--media", "DIR", "post the photos and videos found in DIR (with --service file or http)",
      for: { $0.unit == .upload }, needs: keptBytes, fragment: .none),
    .init(
      "--store", "DIR",
      "where the file service puts objects (a folder that is removed afterwards), or where the http service's server keeps them (they are asked back)",
      for: { !$0.looksUp }, needs: keptBytes, fragment: .none),
    .init(
      "--fsync", nil, "the file service waits until each object is on the disk itself", .flag(\.syncsToDisk),
      for: { $0.unit == .upload },
      needs: Need(
        service: "file", isMet: { $0 == .file }, reason: { "\($0) writes nothing to this machine's disk" }),
      fragment: .word { _ in "fsync" }),
    .init(
      "--payload", "SIZE",
      "size of each synthetic media file (64KiB), of the media file of stream (64 chunks)",
      .value(\.payloadBytes) { try $0.bytes($1) }, for: { !$0.looksUp }),
    .init(
      "--overlap", "N",
      "N posts at any moment, each started by the completion of one before; 1 for back to back (each from threads that sleep)",
      .value(\.overlap) { try $0.integer($1, in: 1...Scenario.mostOverlap) }),
  ]

  private static let keptBytes = Need(
    service: "file or http", isMet: \.keepsBytes, reason: { "\($0) keeps no bytes" }, isShared: true)

  private static let ofOnePattern: [ScenarioOption] = [
    .init(
      "--prepare", "N", "presigned: passes over each media file's bytes before its upload (1)",
      .value(\.preparePasses) { try $0.integer($1, in: 0...1_000_000) }, for: \.prepares),
    .init(
      "--behind", "N", "presigned: start N posts of low priority and one media file each before it (0)",
      .value(\.behind) { try $0.integer($1, in: 0...Scenario.mostBehind) }, for: \.prepares),
    .init(
      "--priority", "NAME",
      "presigned: how urgent the post is: low, normal or high (normal, high with --behind)",
      .word(\.priority), for: \.prepares),
    .init(
      "--chunk", "SIZE", "stream: size of a chunk, a multiple of 8 bytes (64KiB)",
      .value(\.chunkBytes) { try $0.bytes($1) }, for: \.isChunked),
    .init(
      "--buffer", "C", "stream: chunks between producer and uploaders, 0 for a rendezvous (8)",
      .value(\.bufferCapacity) { try $0.integer($1, in: 0...1_000_000) }, for: \.isChunked),
    .init(
      "--uploaders", "K", "stream: uploads at a time (4)",
      .value(\.uploaders) { try $0.integer($1, in: 1...1_000_000) }, for: \.isChunked),
    .init(
      "--hedge", "TIME", "race: when the second mirror is asked, too; 0s for at once (4ms)",
      .value(\.hedgeDelay) { try $0.delay($1) }, for: \.races, takesTime: true),
    .init(
      "--attempts", "A", "resilient: attempts at each upload (3)",
      .value(\.retry.attempts) { try $0.integer($1, in: 1...200) }, for: \.retries),
    .init(
      "--attempt-timeout", "TIME", "resilient: how long an attempt may take (no limit)",
      .value(\.retry.attemptDeadline) { try $0.deadline($1) }, for: \.retries, takesTime: true),
    .init(
      "--deadline", "TIME", "resilient: how long the whole may take; 0s has passed (no limit)",
      .value(\.retry.deadline) { try $0.deadline($1) }, for: \.retries, takesTime: true),
    .init(
      "--backoff", "TIME", "resilient: the wait after the first attempt, doubled after each (1ms)",
      .value(\.retry.firstBackoff) { try $0.delay($1) }, for: \.retries, takesTime: true),
  ]

  private static let faults: [ScenarioOption] = [
    .init(
      "--fail-at", "I", "the upload, chunk or lookup I fails",
      .value(\.faults.failAt) { try $0.integer($1, in: 0...Post.mostMedia - 1) }),
    .init(
      "--failure-rate", "P", "each upload fails with probability P, by seed",
      .value(\.faults.failureRate) { try $0.share($1) }),
    .init(
      "--fault", "KIND", "how what fails does so: refusal, transient or silence (refusal)",
      .word(\.faults.kind)),
    .init(
      "--fail-attempts", "N", "resilient: only the first N attempts at --fail-at fail (all)",
      .value(\.faults.failingAttempts) { try $0.integer($1, in: 1...200) }, for: \.retries),
    .init(
      "--mirror", "NAME", "race: only the primary or the secondary mirror fails (both)",
      .word(\.faults.mirror), for: \.races),
    .init(
      "--cancel-after", "TIME", "cancel the job so long after its start",
      .value(\.cancelAfter) { try $0.duration($1).map { .nanoseconds($0) } }, takesTime: true,
      needs: Need(
        service: "latency", isMet: { $0 != .instant },
        reason: { "on \($0) the job would end before the cancel" })),
    .init(
      "--order", "A,B", "in which uploads of the latency service end: forward, reverse, shuffled (shuffled)",
      Binding(words: CompletionOrder.allCases.map(\.rawValue)), takesTime: true,
      needs: Need(service: "latency", isMet: \.takesTime, reason: { "\($0) completes as it goes" }),
      fragment: .word(\.order.rawValue)),
    .init(
      "--hold", nil,
      "the latency service answers nobody until all that may be in flight are, then all at once",
      .flag(\.holdsAnswers), takesTime: true, fragment: .word { _ in "hold" }),
  ]
}
