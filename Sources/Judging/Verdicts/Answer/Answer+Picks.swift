import Results

extension Answer {
  /// The recommended contender for one kind of work, and the cost of a wrong choice.
  struct Pick: Sendable, Equatable {
    let workClass: ScenarioClass
    let title: String
    let work: String
    /// The recommended contender's name for readers, such as `DispatchGroup`.
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
      (.uploadsWait, "A network app or server", "uploads wait for milliseconds"),
      (.nothingWaits, "Answers from a cache", "nothing waits"),
      (.computing, "Work for a processor", "each piece computes"),
      (.blocking, "Code that blocks", "each call holds its thread"),
    ]
    return cards.compactMap { workClass, title, work in
      columns.firstIndex { $0.workClass == workClass }.flatMap { pick($0, title, work) }
    }
  }

  /// Recommends the contender with the fewest lines of code among those whose time is near the least.
  private func pick(_ index: Int, _ title: String, _ work: String) -> Pick? {
    let known = known(index)
    guard known.count > 1, let least = known.min(by: { time($0, index) < time($1, index) }) else {
      return nil
    }
    let near = known.filter {
      time($0, index) <= Self.small * time(least, index) || isSmall($0, least, index)
    }
    let take = near.ordered {
      SortKey(numbers: [Double($0.lines ?? .max), time($0, index)], last: $0.contender)
    }[0]
    return Pick(
      workClass: columns[index].workClass, title: title, work: work, take: take.title,
      facts: facts(index, known, take: take), why: why(index, known, take, least: least, near: near),
      wrong: wrong(index, known, take: take))
  }

  /// The contenders to choose among that have a time. A variant is included only if its ratio to ``usual`` is decided.
  private func known(_ index: Int) -> [Row] {
    let variants = rows.filter { row in
      row.isVariant && row.idiom?.shipsWith == "toolchain"
        && row.costs[index].time[usual].map { $0.finding != .open } ?? false
    }
    return (choices + variants).filter { $0.contender == usual || $0.costs[index].time[usual] != nil }
  }

  private func time(_ row: Row, _ index: Int) -> Double {
    row.contender == usual ? 1 : row.costs[index].time[usual]?.ratio ?? .infinity
  }

  /// Whether an upload with `row` takes less than ``noticed`` longer than with `other`, in the example scenario of a class of work.
  private func isSmall(_ row: Row, _ other: Row, _ index: Int) -> Bool {
    let times = [row, other].compactMap { $0.costs[index].example?.summary.nanosecondsPerUpload }
    return times.count == 2 && times[0] - times[1] < Self.noticed
  }

  /// The contenders that most readers would compare with the recommended one.
  private func others(_ known: [Row], than take: Row) -> [Row] {
    let asked = [usual, Self.asked, "operations"].unique()
      .compactMap { name in known.first { $0.contender == name && $0 != take } }
    return asked.isEmpty ? known.filter { $0 != take } : asked
  }

  /// The ratios of the recommended contender to two others, and the difference for a single upload.
  private func facts(_ index: Int, _ known: [Row], take: Row) -> [Fact] {
    let others = others(known, than: take)
    var facts = others.prefix(2).compactMap { other in
      mean(index, \.time, take, beside: other).map { time in
        let cpu =
          mean(index, \.processor, take, beside: other)
          .map { ", its CPU \($0.marked)\($0.ends)" } ?? ""
        return Fact(number: time.marked, text: "the time of \(other.name)\(time.ends)\(cpu), \(time.ofJobs)")
      }
    }
    // If uploads wait for a network's milliseconds, only a difference in processor time is worth mentioning.
    let waits = columns[index].workClass == .uploadsWait
    if let other = others.first,
      let mean = mean(index, waits ? \.processor : \.time, take, beside: other),
      let one = single(
        index, waits ? \.processorNanoseconds : \.summary.medianNanoseconds, take, mean, beside: other)
    {
      let what = waits ? "CPU for each upload" : "for each upload"
      facts.append(
        Fact(
          number: NumberText.time(one.nanoseconds),
          text: "\(one.isMore ? "more" : "less") \(what) than \(other.name), in \(one.job)"
            + (waits ? range(index, take, beside: other) : "") + one.share))
    }
    return facts
  }

  /// The smallest and the largest difference in the processor time of an upload, among the scenarios of a class.
  private func range(_ index: Int, _ row: Row, beside other: Row) -> String {
    let times = other.costs[index].processorNanoseconds
    let differences = row.costs[index].processorNanoseconds.compactMap { scenario, own in
      times[scenario].map { own - $0 }
    }
    guard differences.count > 1, let least = differences.min(), let most = differences.max(), least > 0 else {
      return ""
    }
    return " (\(NumberText.span(least, most)) in the \(differences.count) jobs)"
  }

  private func why(_ index: Int, _ known: [Row], _ take: Row, least: Row, near: [Row]) -> String {
    let whose = choices.allSatisfy(\.comesWithSwift) ? " of what comes with Swift" : ""
    let other = near.first { $0.contender == usual && $0 != take } ?? near.first { $0 != take }
    guard let lines = take.lines, let other, let otherLines = other.lines else {
      return "Why: the least time\(whose)." + threads(index, take)
    }
    var text =
      "Why: the fewest lines\(whose) near the least time: \(lines) with limit, cancellation and errors (\(other.name) \(otherLines))."
    if time(take, index) > Self.small * time(least, index),
      let mean = mean(index, \.time, least, beside: take)
    {
      text +=
        " \(least.title) takes \(multiple(mean)) its time, but saves less than a microsecond for each upload of the largest job."
    }
    return text + causes(index, take, beside: others(known, than: take).first)
  }

  /// A sentence on the numbers of threads, if they may be why the recommended contender is faster; otherwise empty.
  private func threads(_ index: Int, _ take: Row) -> String {
    guard columns[index].workClass == .blocking, let own = take.costs[index].example?.summary.peakThreads,
      let other = rows.first(where: { $0.contender == usual && $0 != take }),
      let others = other.costs[index].example?.summary.peakThreads
    else { return "" }
    return " It had up to \(own) threads, \(other.name) \(others)."
  }

  /// A sentence on allocations and thread switches in the example scenario of a class of work; empty if the contenders hardly differ.
  private func causes(_ index: Int, _ take: Row, beside other: Row?) -> String {
    let counted = [take, other].compactMap { row in
      row?.costs[index].example.flatMap { cell in
        cell.summary.allocationsPerUpload.flatMap { allocations in
          cell.summary.voluntarySwitchesPerUpload.map { (row!, allocations, $0) }
        }
      }
    }
    guard counted.count == 2, let least = counted.map(\.1).min(), let most = counted.map(\.1).max(),
      most > Self.much * least
    else { return "" }
    return " An upload costs "
      + counted.map { row, allocations, switches in
        "\(NumberText.multiple(allocations)) allocations and "
          + "\(switches < 0.005 ? "0" : NumberText.multiple(switches)) thread switches with \(row.name)"
      }.joined(separator: ", ") + "."
  }

  /// Says how long the slowest choices take relative to `take`. If none takes longer, compares the most processor time with the least.
  private func wrong(_ index: Int, _ known: [Row], take: Row) -> String {
    if let slower = slower(index, known, than: take) {
      guard columns[index].workClass == .nothingWaits,
        let limited = columns.firstIndex(where: { $0.workClass == .limited }),
        let more = self.slower(limited, self.known(limited), than: take)
      else { return "Wrong here: \(slower)." }
      return "Wrong here: \(slower). With a limit, \(more)."
    }
    let bound = "is proved to take over \(NumberText.percent(Self.small - 1)) more time"
    let start = columns[index].names.count > 1 ? "In the mean of \(columns[index].names.count) jobs no" : "No"
    let pairs = known.compactMap { least in
      costlier(index, \.processor, known, than: least).last.map { (least, $0) }
    }
    guard let (least, worst) = pairs.max(by: { $0.1.mean.ratio < $1.1.mean.ratio }) else {
      return "\(start) choice \(bound), or CPU."
    }
    return "\(start) choice \(bound). The most CPU: \(worst.row.name), \(multiple(worst.mean)) that of "
      + "\(least.name)."
  }

  private typealias Choice = (row: Row, mean: ClassMean)

  /// The choices that are proved to cost more than `least` by more than the factor ``small``, in rising order.
  private func costlier(
    _ index: Int, _ measure: KeyPath<Cost, [String: ClassMean]>, _ known: [Row], than least: Row
  ) -> [Choice] {
    known.filter { $0 != least }.compactMap { row in
      mean(index, measure, row, beside: least).map { (row: row, mean: $0) }
    }.filter { $0.mean.finding == .more && $0.mean.ratio > Self.small }
      .sorted { $0.mean.ratio < $1.mean.ratio }
  }

  /// The choices that are about as slow as the slowest one, as part of a sentence; `nil` if none is slower than `take`.
  private func slower(_ index: Int, _ known: [Row], than take: Row) -> String? {
    let slower = costlier(index, \.time, known, than: take)
    guard let worst = slower.last else { return nil }
    let group = slower.filter { $0.mean.ratio * Self.much >= worst.mean.ratio }
    let sizes = group.compactMap {
      single(index, \.summary.medianNanoseconds, $0.row, $0.mean, beside: take)
    }
    // All numbers in the sentence must be comparable: either all are from one example job, or all are means over a class of work.
    let isOneJob = sizes.count == group.count
    return group.enumerated().map { number, choice in
      let size = isOneJob ? sizes[number] : nil
      let (verb, object) = number == 0 ? (" takes", " the time of \(take.name)") : ("", "")
      let more = size.map { " (\(NumberText.time($0.nanoseconds)) more for each)" } ?? ""
      return
        "\(choice.row.name)\(verb) \(NumberText.multiple(size?.ratio ?? choice.mean.ratio))×\(object)\(more)"
    }.listed + (isOneJob ? ", in \(sizes[0].job)" : "")
  }

  /// The difference between two contenders in the time of one upload, in the example scenario of a class of work.
  struct Single {
    let nanoseconds: Double
    let ratio: Double
    let isMore: Bool
    /// The example job as text, such as `one job of 100`.
    let job: String
    /// The difference as a share of a core for 1 000 uploads a second, such as `; at 1 000 a second 1.5 % of a core`.
    let share: String
  }

  /// The difference for one upload; `nil` if it is too small to matter or the example job alone does not prove the mean's difference.
  func single(
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
      nanoseconds: nanoseconds, ratio: own / others, isMore: own > others,
      job: "one job of \(NumberText.thousands(column.exampleUploads))",
      share: isShare ? "; at 1 000 a second \(NumberText.percent(nanoseconds * 1_000 / 1e9)) of a core" : "")
  }

  /// The smallest difference in the time of an upload that is worth mentioning, in nanoseconds: a microsecond.
  private static let noticed = 1_000.0

  /// The mean ratio of `row` to `other` over a class of work. If only the opposite ratio is known, returns its inverse.
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

  /// The number of jobs in the mean, and jobs that deviate from it, such as `mean of 8 jobs; from 100 at once no difference is proved`.
  fileprivate var ofJobs: String {
    guard scenarios > 1 else { return "in one job" }
    return "mean of \(scenarios) jobs\(exception)"
  }

  /// The jobs in which the ratio differs from the mean, as part of a sentence; empty if there are none.
  fileprivate var exception: String {
    func times(_ ratio: Double) -> String { NumberText.multiple(ratio) + "×" }
    if let apart { return "; \(times(apart.lowerBound)) in one, \(times(apart.upperBound)) in another" }
    guard finding == .less || finding == .more else { return "" }
    // A difference that is proved for few concurrent uploads may not be proved for many.
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
