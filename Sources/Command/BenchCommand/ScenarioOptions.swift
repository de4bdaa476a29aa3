import Foundation
import UploadScenario

/// The options that say what contenders are asked to do.
enum ScenarioOptions {
  static let options =
    [
      Option("--contenders", "A,B", "whom to measure, variants by name or glob (all but variants)"),
      Option("--patterns", "P,Q", "which patterns (publish)"),
      Option("--scenario", "A,B", "scenarios by name, as `\(CommandName.current) list` shows them"),
    ] + shape + [Option("--seed", "N", "what everything random is drawn from (1)")]

  /// The options that describe one scenario of the user's own, but for its pattern.
  private static let shape = [
    Option("--fan-out", "N,M", "how many uploads a post has (100)"),
    Option("--limit", "K", "at most K uploads in flight (all at once)"),
    Option(
      "--service", "A,B",
      "what is uploaded to: instant, latency, file, http or blocking (what the other options need, else instant)"
    ),
    Option("--endpoint", "URL", "where the http service uploads to; alone, with instant beside it"),
    Option("--media", "DIR", "post the photos and videos found in DIR (with --service file or http)"),
    Option(
      "--store", "DIR",
      "where the file service puts objects (a folder that is removed afterwards), or where the http service's server keeps them (they are asked back)"
    ),
    Option("--fsync", nil, "the file service waits until each object is on the disk itself"),
    Option("--payload", "SIZE", "size of each synthetic media (64KiB), of the media of stream (64 chunks)"),
    Option("--prepare", "N", "presigned: passes over each media's bytes before its upload (1)"),
    Option(
      "--priority", "NAME",
      "presigned: how urgent the post is: low, normal or high (normal, high with --behind)",
      words: PostPriority.allCases.map(\.rawValue)),
    Option("--behind", "N", "presigned: start N posts of low priority and one media each before it (0)"),
    Option("--chunk", "SIZE", "stream: size of a chunk, a multiple of 8 bytes (64KiB)"),
    Option("--buffer", "C", "stream: chunks between producer and uploaders, 0 for a rendezvous (8)"),
    Option("--uploaders", "K", "stream: uploads at a time (4)"),
    Option("--hedge", "TIME", "race: when the second mirror is asked, too; 0s for at once (4ms)"),
    Option("--attempts", "A", "resilient: attempts at each upload (3)"),
    Option("--attempt-timeout", "TIME", "resilient: how long an attempt may take (for ever)"),
    Option("--deadline", "TIME", "resilient: how long the whole may take; 0s has passed (for ever)"),
    Option("--backoff", "TIME", "resilient: the wait after the first attempt, doubled after each (1ms)"),
    Option("--fail-at", "I", "the upload, chunk or lookup I fails"),
    Option("--failure-rate", "P", "each upload fails with probability P, by seed"),
    Option(
      "--fault", "KIND", "how what fails does so: refusal, transient or silence (refusal)",
      words: Faults.Kind.allCases.map(\.rawValue)),
    Option("--fail-attempts", "N", "resilient: only the first N attempts at --fail-at fail (all)"),
    Option(
      "--mirror", "NAME", "race: only the primary or the secondary mirror fails (both)",
      words: Mirror.allCases.map { "\($0)" }),
    Option("--cancel-after", "TIME", "cancel the job so long after its start"),
    Option(
      "--order", "A,B", "in which uploads of the latency service end: forward, reverse, shuffled (shuffled)",
      words: CompletionOrder.allCases.map(\.rawValue)),
    Option(
      "--hold", nil,
      "the latency service answers nobody until all that may be in flight are, then all at once"),
  ]

  /// The patterns that are asked for; nil if none is.
  static func patterns(_ options: Options) throws -> [Pattern]? {
    try options.list("--patterns")?.map { name in
      guard let pattern = Pattern(rawValue: name) else {
        throw UsageError.unknown("pattern", name, among: Pattern.allCases.map(\.rawValue))
      }
      return pattern
    }
  }

  /// The scenarios that are asked for; nil if nothing was, so that the caller's own default holds.
  static func scenarios(_ options: Options) throws -> [Scenario]? {
    let seed = try options.seed("--seed") ?? 1
    let given = options.firstGiven(["--patterns"] + shape.map(\.name))
    if let names = try options.list("--scenario") {
      if let given {
        throw UsageError("--scenario and \(given) exclude each other: a named scenario has its own data.")
      }
      return try names.map { name in
        guard var scenario = Catalog.scenario(named: name) else {
          throw UsageError.unknown("scenario", name, among: Catalog.named.map(\.name))
        }
        scenario.reseed(seed)
        return scenario
      }
    }
    guard given != nil else { return nil }
    let scenarios = try OwnScenarios(options, seed: seed).scenarios
    for problem in scenarios.compactMap(\.problem) { throw UsageError("\(problem).") }
    return scenarios
  }
}
