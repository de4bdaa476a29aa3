import Results

extension Answer {
  /// What a run says in at most 12 words.
  public var headline: String {
    if measured == 0 { return "Nothing was measured: every contender failed" }
    if let benchmarks { return Plural.counted(benchmarks, "benchmark") + " of your own" }
    if measured == 1 { return "One contender was measured: there is nothing to compare" }
    if columns.isEmpty {
      return "\(measured) contenders in \(Plural.counted(scenarios, "scenario")), side by side"
    }
    guard let index = columns.indices.first(where: isDecided) else {
      return "Nothing is decided yet: measure for longer"
    }
    let opening = columns[index].workClass.words.opening
    if isNear(index, \.time) {
      let waits = columns[index].workClass == .uploadsWait
      guard let most = extreme(index, \.processor), most.mean.ratio >= Self.much else {
        return opening + ", no way takes much longer than another"
      }
      return waits
        ? "When uploads wait, your concurrency style costs CPU, not time"
        : opening + ", what differs is CPU"
    }
    guard let most = extreme(index, \.time) else { return opening + ", no time is proved to differ" }
    return "\(opening), \(most.row.name) takes \(multiple(most.mean)) the time of \(name(usual))"
  }

  /// What the headline leaves out, in at most 25 words.
  public var line: String {
    let decided = columns.indices.filter(isDecided)
    guard measured > 1, benchmarks == nil, let first = decided.first,
      let subject = subject(first), let mean = subject.costs[first].time[usual]
    else { return "" }
    // Where that is, the headline says.
    var text = "There \(subject.name) takes \(time(mean, than: name(usual)))"
    func add(_ clause: String) { if (text + clause).split(separator: " ").count <= 25 { text += clause } }
    if let cpu = subject.costs[first].processor[usual], cpu.finding != .open {
      add(", \(multiple(cpu)) its CPU")
    }
    let rest = decided.dropFirst().compactMap { index in
      subject.costs[index].time[usual].map { (index, mean: $0) }
    }.filter { $0.mean.finding == .more && $0.mean.ratio >= Self.much }
    let most = rest.sorted { $0.mean.ratio > $1.mean.ratio }.prefix(2).sorted { $0.0 < $1.0 }
    for (number, (index, mean)) in most.enumerated() {
      let opening = columns[index].workClass.words.opening.lowercasedStart
      add(number == 0 ? "; \(opening), \(multiple(mean)) its time" : ", \(opening) \(multiple(mean))")
    }
    return text + "."
  }

  /// What most readers ask about.
  static let asked = "swift-concurrency"

  /// Differences of class means within this are small, as a factor.
  static let small = 1.1
  /// From here on more is worth a word.
  static let much = 1.25

  /// Those that a reader chooses among: what comes with Swift where at least two do.
  var choices: [Row] {
    let plain = rows.filter { !$0.isVariant && $0.run == nil }
    let shipped = plain.filter(\.comesWithSwift)
    return shipped.count > 1 ? shipped : plain
  }

  /// What stands beside the heading of a group; empty: nothing.
  func note(on group: String) -> String {
    let packages = IdiomRecord(name: "", shipsWith: "this package").group
    if group == packages {
      return "tuned for this job: not what other libraries of their kind cost"
    }
    let run = rows.first { $0.idiom?.group == group }?.run
    guard let run, let other = otherRuns.first(where: { $0.name == run }) else { return "" }
    let names = columns.flatMap(\.names)
    let shared = other.scenarios.count(where: names.contains)
    return "another run, \(shared) of the \(names.count) jobs: compare within it"
  }

  private func isDecided(_ index: Int) -> Bool {
    choices.contains { $0.costs[index].time[usual].map { $0.finding != .open } ?? false }
  }

  /// Whether no choice takes more than a little longer or shorter, to the ends of the intervals.
  private func isNear(_ index: Int, _ measure: KeyPath<Cost, [String: ClassMean]>) -> Bool {
    let means = choices.compactMap { $0.costs[index][keyPath: measure][usual] }
    return !means.isEmpty
      && means.allSatisfy { mean in
        mean.interval.map { $0.lowerBound > 1 / Self.small && $0.upperBound < Self.small } ?? false
      }
  }

  /// The choice that takes most, of those that are decided to take more.
  private func extreme(
    _ index: Int, _ measure: KeyPath<Cost, [String: ClassMean]>
  ) -> (row: Row, mean: ClassMean)? {
    choices.compactMap { row in row.costs[index][keyPath: measure][usual].map { (row, $0) } }
      .filter { $0.1.finding == .more }.max { $0.1.ratio < $1.1.ratio }
  }

  /// What most readers ask about; else what differs most.
  private func subject(_ index: Int) -> Row? {
    let asked = rows.first { $0.contender == Self.asked && $0.contender != usual }
    return asked.flatMap { $0.costs[index].time[usual] == nil ? nil : $0 } ?? extreme(index, \.time)?.row
      ?? extreme(index, \.processor)?.row ?? choices.first { $0.costs[index].time[usual] != nil }
  }

  func name(_ contender: String) -> String { rows.first { $0.contender == contender }?.name ?? contender }

  func multiple(_ mean: ClassMean) -> String { NumberText.multiple(mean.ratio) + "×" }

  /// Such as `3 % longer than DispatchGroup`, `at most 7 % longer …`, or `4.4× the time of …`.
  private func time(_ mean: ClassMean, than other: String) -> String {
    let percent = Int((abs(mean.ratio - 1) * 100).rounded())
    switch (mean.finding, mean.interval) {
    case (.open, .some(let interval)), (.same, .some(let interval)):
      let most = Int(((interval.upperBound - 1) * 100).rounded())
      return most < 1 ? "no longer than \(other)" : "at most \(most) % longer than \(other)"
    case (.open, nil): return "an undecided time beside \(other)"
    case (.more, _) where mean.ratio < 1.2: return "\(percent) % longer than \(other)"
    case (.less, _) where mean.ratio > 0.8: return "\(percent) % less time than \(other)"
    default: return "\(multiple(mean)) the time of \(other)"
    }
  }
}

extension String {
  fileprivate var lowercasedStart: String { prefix(1).lowercased() + dropFirst() }
}

extension Answer {
  /// How what an upload takes changes with how many start at once.
  struct Growth: Sendable, Equatable {
    let title: String
    let text: String
    /// From the smallest fan-out to the largest.
    let scenarios: [String]
  }

  /// What to take for one kind of work, and what the wrong choice costs.
  struct Pick: Sendable, Equatable {
    let workClass: ScenarioClass
    let title: String
    let work: String
    /// A row's title.
    let take: String
    let facts: [Fact]
    let why: String
    let wrong: String
  }

  struct Fact: Sendable, Equatable {
    let number: String
    let text: String
  }

  var picks: [Pick] {
    let cards: [(ScenarioClass, title: String, work: String)] = [
      (.uploadsWait, "A network app", "uploads wait for milliseconds"),
      (.nothingWaits, "Many small requests", "nothing waits: answers come at once"),
      (.limited, "Few at once", "nothing waits; a limit of 8, or one by one"),
      (.computing, "A computing server", "each piece is work for a processor"),
      (.blocking, "Code that blocks", "each call holds its thread"),
    ]
    return cards.compactMap { workClass, title, work in
      columns.firstIndex { $0.workClass == workClass }.flatMap { pick($0, title, work) }
    }
  }

  /// Of the fastest, or of those hardly slower, the shortest to write: a little time is worth less than a page of code.
  private func pick(_ index: Int, _ title: String, _ work: String) -> Pick? {
    func time(_ row: Row) -> Double? { row.contender == usual ? 1 : row.costs[index].time[usual]?.ratio }
    // Another spelling is another choice where it is proved to take less, or to be the wrong one.
    let variants = rows.filter { row in
      row.isVariant && row.idiom?.shipsWith == "toolchain"
        && row.costs[index].time[usual].map { $0.finding != .open } ?? false
    }
    let known = (choices + variants).filter { time($0) != nil }
    guard known.count > 1, let least = known.compactMap(time).min() else { return nil }
    let near = known.filter { time($0)! <= Self.small * least }
    let take = near.ordered { SortKey(numbers: [Double($0.lines ?? .max), time($0)!], last: $0.contender) }[0]
    guard
      let other = known.first(where: { $0.contender == usual && $0 != take })
        ?? known.first(where: { $0 != take })
    else { return nil }
    return Pick(
      workClass: columns[index].workClass, title: title, work: work, take: take.title,
      facts: facts(index, known, take: take, beside: other), why: why(take, among: near, of: known),
      wrong: wrong(index, known, take: take))
  }

  /// One source each: means of the class, one of its jobs, the code.
  private func facts(_ index: Int, _ known: [Row], take: Row, beside other: Row) -> [Fact] {
    var facts: [Fact] = []
    if let mean = mean(index, \.time, take, beside: other) {
      facts.append(
        Fact(number: mean.marked, text: "the time of \(other.name)\(mean.ends), \(mean.ofJobs)"))
    }
    if let mean = mean(index, \.processor, take, beside: other) {
      facts.append(Fact(number: mean.marked, text: "its CPU\(mean.ends)\(mean.exception)"))
      if let one = single(index, \.processorNanoseconds, take, mean, beside: other) {
        facts.append(
          Fact(
            number: NumberText.time(one.nanoseconds),
            text: "\(one.isMore ? "more" : "less") CPU for each upload, in \(one.job)\(one.share)"))
      }
    }
    let asked = known.first { $0.contender == Self.asked }
    let operations = known.first { $0.contender == "operations" }
    if let asked, let operations, other != operations || take != asked,
      let time = mean(index, \.time, asked, beside: operations),
      let cpu = mean(index, \.processor, asked, beside: operations),
      time.finding != .open || cpu.finding != .open
    {
      facts.append(
        Fact(
          number: time.marked,
          text: "\(asked.name) beside \(operations.name)\(time.ends), its CPU \(cpu.marked)\(cpu.ends)"))
    }
    if let lines = take.lines, let others = other.lines {
      facts.append(Fact(number: "\(lines)", text: "lines to write; \(other.name) \(others)"))
    } else if let whole = take.costs[index].example?.summary.medianNanoseconds {
      let uploads = NumberText.thousands(columns[index].exampleUploads)
      facts.append(Fact(number: NumberText.time(whole), text: "for one job of \(uploads)"))
    }
    return facts
  }

  private func why(_ take: Row, among near: [Row], of known: [Row]) -> String {
    let whose = choices.allSatisfy(\.comesWithSwift) ? " of what comes with Swift" : ""
    let little = NumberText.percent(Self.small - 1)
    if near.count == 1 { return "Why: the least time\(whose), by more than \(little)." }
    guard take.lines != nil else { return "Why: the least time\(whose)." }
    // Where all are near, what follows says that no choice takes much longer.
    let few = near.count == known.count ? "" : " within \(little) of the least time"
    return "Why: the fewest lines\(whose)\(few)."
  }

  /// What the worst choices cost beside the one to take; where that is no time, what the most processor time is beside the least.
  private func wrong(_ index: Int, _ known: [Row], take: Row) -> String {
    typealias Choice = (row: Row, mean: ClassMean)
    func costlier(_ measure: KeyPath<Cost, [String: ClassMean]>, than least: Row) -> [Choice] {
      known.filter { $0 != least }.compactMap { row in
        mean(index, measure, row, beside: least).map { (row: row, mean: $0) }
      }.filter { $0.mean.finding == .more && $0.mean.ratio > Self.small }
        .sorted { $0.mean.ratio < $1.mean.ratio }
    }
    func alone(_ measure: KeyPath<CellReport, Double?>, _ worst: Choice, _ least: Row) -> String {
      single(index, measure, worst.row, worst.mean, beside: least).map {
        " In \($0.job) \(worst.row.name) takes \(NumberText.time($0.nanoseconds)) more for each\($0.share)."
      } ?? ""
    }
    let slower = costlier(\.time, than: take)
    if let worst = slower.last {
      // All that are about as bad.
      let group = slower.filter { $0.mean.ratio * Self.much >= worst.mean.ratio }
      let range = [group[0], worst].map { multiple($0.mean) }.unique()
      let takes = group.count == 1 ? "takes" : range.count == 1 ? "take about" : "take"
      let jobs = group.count == 1 ? ", \(worst.mean.ofJobs)" : ""
      return "The wrong choice: \(Self.listed(group.map(\.row.name))) \(takes) "
        + "\(range.joined(separator: " to ")) the time of \(take.name)\(jobs)."
        + alone(\.summary.medianNanoseconds, worst, take)
    }
    let bound = "is proved to take over \(NumberText.percent(Self.small - 1)) more time"
    let pairs = known.compactMap { least in costlier(\.processor, than: least).last.map { (least, $0) } }
    guard let (least, worst) = pairs.max(by: { $0.1.mean.ratio < $1.1.mean.ratio }) else {
      return "No choice \(bound), or CPU."
    }
    return "No choice \(bound). The most CPU: \(worst.row.name), \(multiple(worst.mean)) that of "
      + "\(least.name), \(worst.mean.ofJobs)." + alone(\.processorNanoseconds, worst, least)
  }

  private static func listed(_ names: [String]) -> String {
    names.count < 2
      ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
  }

  /// What an upload costs more or less in the class's example.
  private struct Single {
    let nanoseconds: Double
    let isMore: Bool
    /// Such as `one job of 100`.
    let job: String
    /// What an app notices of it, such as `; at 1 000 a second 1.5 % of a core`.
    let share: String
  }

  /// Nil where the example alone does not prove what the mean does, or no reader would notice it.
  private func single(
    _ index: Int, _ measure: KeyPath<CellReport, Double?>, _ row: Row, _ mean: ClassMean, beside other: Row
  ) -> Single? {
    let column = columns[index]
    let uploads = Double(column.exampleUploads)
    guard uploads > 0, let own = row.costs[index].example?[keyPath: measure],
      let others = other.costs[index].example?[keyPath: measure], (own > others) == (mean.ratio > 1),
      mean.finding != .open,
      mean.jobs.contains(where: { $0.scenario == column.example && $0.finding == mean.finding }),
      abs(own - others) >= uploads * Self.noticed
    else { return nil }
    let nanoseconds = abs(own - others) / uploads
    let isShare = column.workClass == .uploadsWait && measure == \.processorNanoseconds
    return Single(
      nanoseconds: nanoseconds, isMore: own > others,
      job: "one job of \(NumberText.thousands(column.exampleUploads))",
      share: isShare ? "; at 1 000 a second \(NumberText.percent(nanoseconds * 1_000 / 1e9)) of a core" : "")
  }

  /// What an upload must cost more to be worth a word, in nanoseconds.
  private static let noticed = 1_000.0

  /// Of two rows in a class, whichever of them ratios are taken against.
  private func mean(
    _ index: Int, _ measure: KeyPath<Cost, [String: ClassMean]>, _ row: Row, beside other: Row
  ) -> ClassMean? {
    row.costs[index][keyPath: measure][other.contender]
      ?? other.costs[index][keyPath: measure][row.contender]?.inverse
  }
}

extension ClassMean {
  /// Such as `1.6×`, or `~1.03×` where it may be no difference.
  fileprivate var marked: String { (finding == .open ? "~" : "") + NumberText.multiple(ratio) + "×" }

  /// What it is a mean of, and where its jobs differ from it, such as `mean of 8 jobs; from 100 at once no difference is proved`.
  fileprivate var ofJobs: String {
    guard scenarios > 1 else { return "in one job" }
    return "mean of \(scenarios) jobs\(exception)"
  }

  /// What is decided otherwise in its jobs; empty: nothing.
  fileprivate var exception: String {
    func times(_ ratio: Double) -> String { NumberText.multiple(ratio) + "×" }
    if let apart { return "; \(times(apart.lowerBound)) in one, \(times(apart.upperBound)) in another" }
    guard finding == .less || finding == .more else { return "" }
    // From some number of uploads on it may be proved no more.
    let series = jobs.compactMap { job in job.uploads.map { (uploads: $0, finding: job.finding) } }
      .sorted { $0.uploads < $1.uploads }
    if Set(series.map(\.uploads)).count > 2, let last = series.lastIndex(where: { $0.finding == finding }),
      last + 1 < series.count
    {
      let rest = series[(last + 1)...]
      let what =
        rest.allSatisfy { $0.finding == .same }
        ? "the same"
        : rest.contains { $0.finding == finding.inverse } ? "the other way round" : "no difference is proved"
      return "; from \(NumberText.thousands(rest[last + 1].uploads)) at once \(what)"
    }
    let decided = jobs.filter { $0.finding == finding }.map(\.ratio)
    guard let least = decided.min(), let most = decided.max(), most > 2 * least else { return "" }
    return "; \(times(least)) to \(times(most)) in single jobs"
  }

  /// Such as ` (1.4–1.8)`, the interval.
  fileprivate var ends: String {
    interval.map {
      " (" + [$0.lowerBound, $0.upperBound].map(NumberText.multiple).unique().joined(separator: "–") + ")"
    } ?? ""
  }
}

extension Answer.Growth {
  /// Of the series that uploads at once and waits for nothing.
  init?(_ analysis: RunAnalysis, _ rows: [Answer.Row]) {
    let series = analysis.scenarios.filter {
      $0.context == nil && $0.workClass == .nothingWaits && $0.pattern == "publish" && $0.fanOut > 0
        && $0.inFlightLimit == nil && $0.about == nil
    }.sorted { $0.fanOut < $1.fanOut }
    guard Set(series.map(\.fanOut)).count > 2, Set(series.map(\.fanOut)).count == series.count,
      let least = series.first, let most = series.last
    else { return nil }
    let contenders = rows.filter { !$0.isVariant }.map(\.contender)
    func times(_ scenario: ScenarioReport) -> [Double] {
      contenders.compactMap { scenario.cell(of: $0)?.summary.nanosecondsPerUpload }
    }
    let (alone, together) = (times(least), times(most))
    guard let low = alone.min(), let high = alone.max(), let few = together.min(), let many = together.max()
    else { return nil }
    let steep = analysis.growth.records.first { record in
      record.isSuperlinear && contenders.contains(record.contender) && record.pattern == "publish"
        && record.service == least.service && record.inFlightLimit == nil
    }
    let cheapest = contenders.compactMap { contender in
      series.enumerated().compactMap { index, scenario in
        scenario.cell(of: contender)?.summary.nanosecondsPerUpload.map { (index, $0) }
      }.min { $0.1 < $1.1 }?.0
    }.min()
    let turn = series[cheapest ?? 0].fanOut
    if let steep, let from = steep.superlinearFromFanOut ?? steep.exponentFromFanOut {
      title = "From \(NumberText.thousands(from)) uploads on, each costs more with \(steep.contender)"
    } else if cheapest == 0 {
      title = "What an upload costs does not fall with how many start"
    } else {
      title =
        "The more start at once, the less each costs"
        + (turn < most.fanOut ? ", up to \(NumberText.thousands(turn))" : "")
    }
    text =
      "One upload where nothing waits takes \(NumberText.span(low, high)) "
      + (least.fanOut == 1 ? "alone" : "among \(NumberText.thousands(least.fanOut))")
      + ", \(NumberText.span(few, many)) among \(NumberText.thousands(most.fanOut)). Both axes are logarithmic; bars are 95 % intervals."
    scenarios = series.map(\.name)
  }
}
