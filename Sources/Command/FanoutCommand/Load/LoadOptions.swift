import Verdicts
import Foundation
import Harness
import UploadScenario

struct LoadOptions {
  static let options =
    ScenarioOptions.options(usual: " (publish-latency-10, if no option describes another)")
    + [
      Option("--rate", "RATE", "posts that arrive in a second or minute, such as 500/s or 30/m (100/s)"),
      Option("--rates", "A,B", "several rates, each for --duration"),
      Option(
        "--schedule", "NAME", "poisson, as from many users, or fixed, at even intervals (poisson)",
        words: ArrivalSchedule.allCases.map(\.rawValue)),
      Option(
        "--duration", "TIME",
        "how long each contender is measured at each rate (30s), or with --find-limit in all (60s)"),
      Option("--window", "TIME", "contenders are interleaved in windows of about this length (3s)"),
      Option("--most-posts", "N", "a window with N posts in flight ends as saturated (10000 or fewer)"),
      Option(
        "--slo", "P=TIME", "latency objective, such as p99=50ms: p50, p90, p99, p99.9, p99.99 or max"),
      Option(
        "--find-limit", nil,
        "search for the highest rate that meets --slo, starting at --rate (100/s or more)"),
      Option(
        "--precision", "SHARE",
        "with --find-limit: how close to the highest rate that meets --slo the search must come (10%)"),
    ].titled("rates, and for how long")
    + RecordingOptions.options(.load).filter { shared.contains($0.name) }

  private static let shared = [
    "--output", "--name", Awake.option.name, "--quiet", "--format", "--allow-debug-build",
  ]

  private static let mostPostsOfWindow = 20_000_000.0
  private static let mostWindows: UInt64 = 1_000_000
  static let rates = 0.001...1_000_000.0

  let contenders: [any Contender]
  let scenarios: [Scenario]
  let schedule: ArrivalSchedule
  let rates: [Double]
  let durationNanoseconds: UInt64
  let windowNanoseconds: UInt64
  let mostPosts: Int?
  let objective: LatencyObjective?
  /// How precisely to search for the highest rate, as a share of the rate. `nil` without a search.
  let precision: Double?
  let recording: RecordingOptions

  init(_ arguments: [String], known: ContenderList) throws {
    let options = try Options(arguments, known: Self.options)
    (contenders, scenarios) = try Self.subjects(options, known)
    schedule = try options.choice("--schedule") ?? .poisson
    objective = try Self.objective(options)
    let isSearch = options.has("--find-limit")
    precision = isSearch ? try options.margin("--precision") ?? 0.1 : nil
    let duration = try options.duration("--duration") ?? (isSearch ? 60_000_000_000 : 30_000_000_000)
    durationNanoseconds = duration
    let window = try options.duration("--window") ?? min(3_000_000_000, duration)
    windowNanoseconds = window
    mostPosts = try options.integer("--most-posts", in: 1...1_000_000)
    rates = try Self.rates(options) ?? (isSearch ? [] : [100])
    recording = try RecordingOptions(options, .load, budgetNanoseconds: duration, generations: 1)
    try check(options)
  }

  var participants: [String: [String]] { contenders.participants(in: scenarios) }

  /// The time that all contenders and scenarios together take at most.
  var longestSeconds: Double {
    Double(durationNanoseconds) / 1e9 * Double(participants.values.joined().count)
  }

  /// The number of posts (upload jobs) that a window needs to decide a latency objective such as p99=50ms. 0 without an objective.
  var postsNeeded: Double {
    // The number of posts that arrive varies randomly, so four standard deviations are added.
    let fewest = Double(objective?.fewestPosts ?? 0)
    return schedule == .fixed ? fewest : fewest + 4 * fewest.squareRoot()
  }

  /// The duration of a window (one measurement) at this arrival rate, in which enough posts arrive to decide the latency objective.
  func windowNanoseconds(at rate: Double) -> UInt64 {
    min(durationNanoseconds, max(windowNanoseconds, UInt64(postsNeeded / rate * 1e9)))
  }

  func windowCount(at rate: Double) -> UInt64 { max(1, durationNanoseconds / windowNanoseconds(at: rate)) }

  /// The lowest rate of a search. At lower rates, a window with enough posts would take more than a quarter of the total time.
  var lowestRate: Double { max(0.1, postsNeeded / (Double(durationNanoseconds) / 4 / 1e9)) }

  private static func subjects(_ options: Options, _ known: ContenderList) throws -> (
    [any Contender], [Scenario]
  ) {
    let chosen = try known.chosen(by: options)
    var scenarios = try ScenarioOptions.scenarios(options) ?? Catalog.load
    let seed = try options.seed("--seed") ?? 1
    for index in scenarios.indices { scenarios[index].reseed(seed) }
    let refused: [(option: String, isGiven: (Scenario) -> Bool, reason: String)] = [
      ("--cancel-after", { $0.cancelAfter != nil }, "cancels each post, but `bench load` cancels none"),
      ("--behind", { $0.behind > 0 }, "measures only the last post, but `bench load` measures every post"),
      ("--overlap", { $0.overlap != nil }, "sets when posts start, but `bench load` starts them at a rate"),
    ]
    for (option, isGiven, reason) in refused {
      guard let name = scenarios.first(where: isGiven)?.name else { continue }
      throw UsageError("\(name) \(reason): take a scenario without \(option).")
    }
    try chosen.checkThatAllAreWritten(scenarios)
    let contenders = chosen.filter { contender in scenarios.contains(where: contender.writes) }
    return (contenders, scenarios)
  }

  private static func rates(_ options: Options) throws -> [Double]? {
    if options.has("--rates") {
      if let given = options.firstGiven(["--rate", "--find-limit"]) {
        throw UsageError("--rates and \(given) exclude each other.")
      }
      return try options.list("--rates") { try rate($0, "--rates") }
    }
    return try options.text("--rate").map { [try rate($0, "--rate")] }
  }

  /// Parses a rate such as `500/s` or `30/m`. Returns posts per second.
  private static func rate(_ text: String, _ name: String) throws -> Double {
    let units: [(String, Double)] = [("/s", 1), ("/m", 60)]
    guard let unit = units.first(where: { text.hasSuffix($0.0) }),
      let number = Double(text.dropLast(unit.0.count)), rates.contains(number / unit.1)
    else {
      throw UsageError(
        "\(name) “\(text)”: give posts per second or minute, above zero and at most 1000000/s, such as 500/s or 30/m."
      )
    }
    return number / unit.1
  }

  private static func objective(_ options: Options) throws -> LatencyObjective? {
    guard let text = options.text("--slo") else { return nil }
    let names = TailPercentile.allCases.map(\.rawValue) + ["max"]
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else {
      throw UsageError("--slo “\(text)”: give a percentile and its time, such as p99=50ms.")
    }
    guard names.contains(parts[0]) else {
      throw UsageError("--slo “\(text)”: give one of \(names.joined(separator: ", ")), such as p99=50ms.")
    }
    // Other options take a number without a unit for seconds, but p99=50 often means milliseconds.
    if let number = Double(parts[1]), number > 0 {
      throw UsageError("--slo “\(text)”: give a unit, such as \(text)ms.")
    }
    guard
      let time = try? Options(["--slo=\(parts[1])"], known: [Option("--slo", "TIME", "")]).duration("--slo")
    else {
      throw UsageError(
        "--slo “\(text)”: give a time above zero, of at most 240h, such as \(parts[0])=50ms.")
    }
    return LatencyObjective(percentile: TailPercentile(rawValue: parts[0]), nanoseconds: time)
  }

  private func check(_ options: Options) throws {
    if windowNanoseconds > durationNanoseconds {
      throw UsageError("--window is longer than --duration: give a shorter --window.")
    }
    if precision == nil, options.has("--precision") { throw UsageError("--precision needs --find-limit.") }
    if precision != nil { return try checkSearch() }
    for rate in rates {
      let posts = rate * Double(durationNanoseconds) / 1e9
      if rate * Double(windowNanoseconds) / 1e9 > Self.mostPostsOfWindow {
        throw UsageError(
          "\(text(rate)) for \(text(windowNanoseconds)) is too many posts: give a shorter --window.")
      }
      if posts < max(1, postsNeeded) {
        let needed =
          objective.map { "\($0.name) needs about \(Int(postsNeeded)) posts" } ?? "not one post arrives"
        let seconds = Int((max(1, postsNeeded) / rate).rounded(.up))
        throw UsageError(
          "\(needed): \(text(rate)) for \(text(durationNanoseconds)) gives \(Int(posts)) posts. Give --duration \(seconds)s or more, or a higher rate."
        )
      }
    }
    let windows = rates.reduce(0) { $0 + windowCount(at: $1) }
    if windows > Self.mostWindows {
      throw UsageError(
        "\(windows) windows are too many to record: give a longer --window or a shorter --duration, for \(Self.mostWindows) at most."
      )
    }
  }

  private func checkSearch() throws {
    guard let objective else {
      throw UsageError("--find-limit needs --slo, an objective such as --slo p99=50ms.")
    }
    if durationNanoseconds < 6 * windowNanoseconds {
      throw UsageError(
        "a search needs six windows or more, and \(text(durationNanoseconds)) has no room for them: give a longer --duration or a shorter --window."
      )
    }
    if lowestRate > Self.rates.upperBound {
      let least = UInt64((postsNeeded / Self.rates.upperBound * 4 * 1e3).rounded(.up)) * 1_000_000
      throw UsageError(
        "\(objective.name) needs about \(Int(postsNeeded)) posts in a window, and a window takes a quarter of --duration at most: give --duration \(text(least)) or more."
      )
    }
  }

  private func text(_ rate: Double) -> String { String(format: "%g/s", rate) }

  private func text(_ nanoseconds: UInt64) -> String {
    let units: [(name: String, nanoseconds: UInt64)] = [
      ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000),
    ]
    guard let unit = units.first(where: { nanoseconds >= $0.nanoseconds }) else { return "\(nanoseconds)ns" }
    return String(format: "%g%@", Double(nanoseconds) / Double(unit.nanoseconds), unit.name)
  }
}
