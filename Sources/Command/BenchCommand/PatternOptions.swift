import UploadScenario

/// Which of the options that describe a scenario mean something to which pattern.
enum PatternOptions {
  private static let uploads = Set(Pattern.allCases.filter { !$0.looksUp })

  private static let takers: [(option: String, patterns: Set<Pattern>)] = [
    ("--fan-out", uploads.subtracting([.stream])),
    // One after another keeps any limit.
    ("--limit", Set(Pattern.allCases.filter(\.takesLimit)).union([.sequence])),
    ("--media", uploads.subtracting([.stream])),
    ("--store", uploads),
    ("--fsync", uploads.subtracting([.stream])),
    ("--payload", uploads),
    ("--prepare", [.presigned]),
    ("--priority", [.presigned]),
    ("--behind", [.presigned]),
    ("--chunk", [.stream]),
    ("--buffer", [.stream]),
    ("--uploaders", [.stream]),
    ("--hedge", [.race]),
    ("--mirror", [.race]),
    ("--attempts", [.resilient]),
    ("--attempt-timeout", [.resilient]),
    ("--deadline", [.resilient]),
    ("--backoff", [.resilient]),
    ("--fail-attempts", [.resilient]),
  ]

  /// Refuses the first option that was given and means nothing to one of the patterns.
  static func check(_ options: Options, _ patterns: [Pattern]) throws {
    for (option, takers) in takers where options.has(option) {
      guard let other = patterns.first(where: { !takers.contains($0) }) else { continue }
      throw UsageError(
        "\(option) means nothing to \(other.rawValue): \(reason(option, takers, other)).")
    }
  }

  private static func reason(_ option: String, _ takers: Set<Pattern>, _ pattern: Pattern) -> String {
    if takers.count == 1, let taker = takers.first { return "it is for \(taker.rawValue)" }
    if pattern.looksUp { return "it has three lookups and no media" }
    if option == "--limit", pattern != .stream { return "all its uploads are under way at once" }
    return "its post has one media of --payload bytes, which --uploaders take in chunks of --chunk"
  }
}
