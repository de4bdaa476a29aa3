import Results

extension Answer {
  /// The recommended contender for one kind of work, and the cost of a wrong choice.
  struct Pick: Sendable, Equatable {
    let workClass: ScenarioClass
    let title: String
    let work: String
    /// The title of the recommended contender's row.
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
      (.nothingWaits, "Answers from a cache", "nothing waits; small jobs and large ones"),
      (.limited, "A cache, few at once", "nothing waits; a limit of 8, or one by one"),
      (.computing, "A computing server", "each piece is work for a processor"),
      (.blocking, "Code that blocks", "each call holds its thread"),
    ]
    return cards.compactMap { workClass, title, work in
      columns.firstIndex { $0.workClass == workClass }.flatMap { pick($0, title, work) }
    }
  }

  /// Among the contenders whose time is within the factor ``small`` of the least time, recommends the one with the fewest lines of code.
  private func pick(_ index: Int, _ title: String, _ work: String) -> Pick? {
    func time(_ row: Row) -> Double? { row.contender == usual ? 1 : row.costs[index].time[usual]?.ratio }
    // A second spelling of a contender is a choice only if its time relative to ``usual`` is decided.
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

  /// Facts about the recommended contender. Each fact has one source: the means of the class, one of its jobs, or the code.
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
    // If all contenders are near the least time, the next sentence of the page says so.
    let few = near.count == known.count ? "" : " within \(little) of the least time"
    return "Why: the fewest lines\(whose)\(few)."
  }

  /// Says how long the worst choices take relative to `take`. If none takes longer, compares the most processor time with the least.
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
      // The group has all choices that are about as slow as the slowest one.
      let group = slower.filter { $0.mean.ratio * Self.much >= worst.mean.ratio }
      let range = [group[0], worst].map { multiple($0.mean) }.unique()
      let takes = group.count == 1 ? "takes" : range.count == 1 ? "take about" : "take"
      let jobs = group.count == 1 ? ", \(worst.mean.ofJobs)" : ""
      return "The wrong choice\(group.count == 1 ? "" : "s"): \(group.map(\.row.name).listed) \(takes) "
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

  /// The difference between two contenders in the time of one upload, in the example of a class.
  private struct Single {
    let nanoseconds: Double
    let isMore: Bool
    /// The example, such as `one job of 100`.
    let job: String
    /// The difference as a share of a processor, such as `; at 1 000 a second 1.5 % of a core`.
    let share: String
  }

  /// Returns `nil` if the example alone does not prove the same difference as the mean, or if the difference is too small to matter.
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

  /// The smallest difference in the time of an upload that is worth mentioning, in nanoseconds.
  private static let noticed = 1_000.0

  /// The mean ratio of `row` to `other` in a class. If only the opposite ratio is known, returns its inverse.
  private func mean(
    _ index: Int, _ measure: KeyPath<Cost, [String: ClassMean]>, _ row: Row, beside other: Row
  ) -> ClassMean? {
    row.costs[index][keyPath: measure][other.contender]
      ?? other.costs[index][keyPath: measure][row.contender]?.inverse
  }
}

extension ClassMean {
  /// The ratio as text, such as `1.6×`, or `~1.03×` if it is undecided.
  fileprivate var marked: String { (finding == .open ? "~" : "") + NumberText.multiple(ratio) + "×" }

  /// The number of jobs and their exceptions, such as `mean of 8 jobs; from 100 at once no difference is proved`.
  fileprivate var ofJobs: String {
    guard scenarios > 1 else { return "in one job" }
    return "mean of \(scenarios) jobs\(exception)"
  }

  /// The jobs in which the ratio differs from the mean, as a clause; empty if there are none.
  fileprivate var exception: String {
    func times(_ ratio: Double) -> String { NumberText.multiple(ratio) + "×" }
    if let apart { return "; \(times(apart.lowerBound)) in one, \(times(apart.upperBound)) in another" }
    guard finding == .less || finding == .more else { return "" }
    // A difference that is proved for few uploads may not be proved for many.
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

  /// The interval as text, such as ` (1.4–1.8)`.
  fileprivate var ends: String {
    interval.map {
      " (" + [$0.lowerBound, $0.upperBound].map(NumberText.multiple).unique().joined(separator: "–") + ")"
    } ?? ""
  }
}
