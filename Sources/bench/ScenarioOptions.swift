import Foundation
import UploadScenario

/// The options that say what contenders are asked to do; `run` and `verify` share them.
enum ScenarioOptions {
  static let options = [
    Option("--contenders", "A,B", "whom to measure (all)"),
    Option("--patterns", "P,Q", "which patterns (publish)"),
    Option("--scenario", "A,B", "scenarios by name, as `bench list` shows them"),
    Option("--fan-out", "N,M", "how many uploads a post has (100)"),
    Option("--limit", "K", "at most K uploads in flight (all at once)"),
    Option("--service", "NAME", "what is uploaded to: instant, latency or file (instant)"),
    Option("--media", "DIR", "post the photos and videos found in DIR (with --service file)"),
    Option("--store", "DIR", "where the file service puts objects (a folder that is removed afterwards)"),
    Option("--fsync", nil, "the file service waits until each object is on the disk itself"),
    Option("--payload", "SIZE", "size of each synthetic media (64KiB)"),
    Option("--fail-at", "I", "the upload of media I fails"),
    Option("--failure-rate", "P", "each upload fails with probability P, by seed"),
    Option("--cancel-after", "TIME", "cancel the job so long after its start"),
    Option("--order", "ORDER", "in which uploads of the latency service end: forward, reverse or shuffled"),
    Option("--seed", "N", "what everything random is drawn from (1)"),
  ]

  /// The options that describe one scenario of the user's own.
  private static let shape = [
    "--patterns", "--fan-out", "--limit", "--service", "--media", "--store", "--fsync", "--payload",
    "--fail-at",
    "--failure-rate", "--cancel-after", "--order",
  ]

  /// The contenders that are asked for, in the registry's order.
  static func contenders(_ options: Options, known: [String]) throws -> [String] {
    guard let wanted = try options.list("--contenders") else { return known }
    for name in wanted where !known.contains(name) {
      throw UsageError.unknown("contender", name, among: known)
    }
    return known.filter(wanted.contains)
  }

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
    if let names = try options.list("--scenario") {
      if let other = options.firstGiven(shape) {
        throw UsageError("--scenario and \(other) exclude each other: a named scenario has its own data.")
      }
      return try names.map { name in
        guard var scenario = Catalog.scenario(named: name) else {
          throw UsageError.unknown("scenario", name, among: Catalog.standard.map(\.name))
        }
        scenario.seed = seed
        return scenario
      }
    }
    guard options.firstGiven(shape) != nil else { return nil }
    return try own(options, seed: seed)
  }

  private static func own(_ options: Options, seed: UInt64) throws -> [Scenario] {
    let patterns = try patterns(options) ?? [.publish]
    if let lookup = patterns.first(where: { $0.looksUp }),
      let other = options.firstGiven(["--fan-out", "--limit", "--media", "--payload", "--store", "--fsync"])
    {
      throw UsageError("\(other) means nothing to \(lookup.rawValue): it has three lookups and no media.")
    }
    var template = Scenario(name: "", fanOut: 0)
    template.service = try service(options)
    template.seed = seed
    template.limit = try options.integer("--limit", in: 1...1_000_000)
    template.payloadBytes = try options.bytes("--payload") ?? template.payloadBytes
    template.faults = Faults(
      failAt: try options.integer("--fail-at", in: 0...999_999),
      failureRate: try options.share("--failure-rate") ?? 0,
      seed: seed)
    template.cancelAfterNanoseconds = try options.duration("--cancel-after")
    template.order =
      try options.choice("--order", among: CompletionOrder.allCases.map(\.rawValue))
      .flatMap(CompletionOrder.init) ?? .shuffled
    template.syncsToDisk = options.has("--fsync")
    template.storeDirectory = options.text("--store")
    try check(template, options)

    let posts = try shapes(options)
    try checkFault(template.faults.failAt, patterns, posts)
    return patterns.flatMap { pattern in
      // Lookups have nothing that a fan-out could change: one scenario.
      posts.prefix(pattern.looksUp ? 1 : .max).map { post in
        var scenario = template
        scenario.pattern = pattern
        scenario.photos = pattern.looksUp ? 0 : post.photos
        scenario.videos = pattern.looksUp ? 0 : post.videos
        scenario.mediaDirectory = post.directory
        if let mean = post.meanBytes { scenario.payloadBytes = mean }
        scenario.name = name(of: scenario, options)
        return scenario
      }
    }
  }

  /// How many photos and videos each post has.
  private struct PostShape {
    var photos: Int
    var videos: Int
    var directory: String?
    var meanBytes: Int?
  }

  private static func shapes(_ options: Options) throws -> [PostShape] {
    let fanOuts = try options.integers("--fan-out", in: 0...1_000_000)
    let shapes: [PostShape]
    if let directory = options.text("--media") {
      if fanOuts != nil {
        throw UsageError("--media and --fan-out exclude each other: the folder decides how many.")
      }
      let media = try Wiring.media(in: directory)
      let photos = media.count { $0.kind == .photo }
      shapes = [
        PostShape(
          photos: photos, videos: media.count - photos, directory: directory,
          meanBytes: media.reduce(0) { $0 + $1.byteCount } / media.count)
      ]
    } else {
      shapes = (fanOuts ?? [100]).map { PostShape(photos: $0 - $0 / 5, videos: $0 / 5) }
    }
    return shapes
  }

  private static func checkFault(_ index: Int?, _ patterns: [Pattern], _ posts: [PostShape]) throws {
    guard let index else { return }
    if let small = posts.map({ $0.photos + $0.videos }).first(where: { index >= $0 }) {
      throw UsageError(
        "--fail-at \(index): a post of \(small) media has no media \(index); they are counted from 0.")
    }
    if let lookup = patterns.first(where: { $0.looksUp }), index >= PostDetail.allCases.count {
      throw UsageError("--fail-at \(index): \(lookup.rawValue) has lookups 0, 1 and 2.")
    }
  }

  private static func service(_ options: Options) throws -> ServiceKind {
    let named = try options.choice("--service", among: ServiceKind.allCases.map(\.rawValue)).flatMap(
      ServiceKind.init)
    if let named { return named }
    if options.has("--media") || options.has("--store") { return .file }
    return options.has("--cancel-after") || options.has("--order") ? .latency : .instant
  }

  private static func check(_ scenario: Scenario, _ options: Options) throws {
    if scenario.service != .latency, options.has("--order") {
      throw UsageError("--order needs --service latency: \(scenario.service.rawValue) completes as it goes.")
    }
    if scenario.service == .instant, options.has("--cancel-after") {
      throw UsageError(
        "--cancel-after needs --service latency: on instant the job would end before the cancel.")
    }
    for name in ["--store", "--fsync", "--media"] where scenario.service != .file && options.has(name) {
      throw UsageError("\(name) needs --service file: \(scenario.service.rawValue) keeps no bytes.")
    }
  }

  /// Says all that was chosen, so that no two scenarios of a run share a name.
  private static func name(of scenario: Scenario, _ options: Options) -> String {
    var parts = [scenario.pattern.rawValue, scenario.service.rawValue]
    if scenario.mediaDirectory != nil { parts.append("media") }
    parts.append("\(scenario.fanOut)")
    for option in ["--limit", "--payload", "--fail-at", "--failure-rate", "--cancel-after"] {
      if let value = options.text(option) { parts.append("\(option.dropFirst(2))-\(value)") }
    }
    if options.has("--order") { parts.append(scenario.order.rawValue) }
    if scenario.syncsToDisk { parts.append("fsync") }
    return parts.joined(separator: "-").replacingOccurrences(of: "µ", with: "u")
  }
}
