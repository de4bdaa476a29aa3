import Results

extension Answer {
  /// The main result of a run, in at most 12 words.
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
        ? "When uploads wait, your concurrency style costs CPU, hardly time"
        : opening + ", what differs is CPU"
    }
    guard let most = extreme(index, \.time) else { return opening + ", no time is proved to differ" }
    return "\(opening), \(most.row.name) takes \(multiple(most.mean)) the time of \(name(usual))"
  }

  /// The most important results that the headline leaves out, in at most 25 words.
  public var line: String {
    let decided = columns.indices.filter(isDecided)
    guard measured > 1, benchmarks == nil, let first = decided.first,
      let subject = subject(first), let mean = subject.costs[first].time[usual]
    else { return "" }
    if let jobs = jobs(of: subject, first) { return jobs }
    // “There” means the class of work that the headline names.
    var text = "There \(subject.name) takes \(time(mean, than: name(usual)))"
    func add(_ clause: String) { if (text + clause).split(separator: " ").count <= 25 { text += clause } }
    if let cpu = subject.costs[first].processor[usual], cpu.finding != .open {
      add(", \(multiple(cpu)) its CPU")
    }
    // Limits without any waiting are rare in practice, but have the largest ratios, so their class of work is left out.
    let rest = decided.dropFirst().filter { columns[$0].workClass != .limited }.compactMap { index in
      subject.costs[index].time[usual].map { (index, mean: $0) }
    }.filter { $0.mean.finding == .more && $0.mean.ratio >= Self.much }
    let most = rest.sorted { $0.mean.ratio > $1.mean.ratio }.prefix(2).sorted { $0.0 < $1.0 }
    for (number, (index, mean)) in most.enumerated() {
      let opening = columns[index].workClass.words.opening.lowercasedStart
      add(number == 0 ? "; \(opening), \(multiple(mean)) its time" : ", \(opening) \(multiple(mean))")
    }
    return text + "."
  }

  /// The times of `subject` and ``usual`` in a job whose uploads wait, and in one where nothing waits; `nil` if one is undecided.
  private func jobs(of subject: Row, _ first: Int) -> String? {
    guard let other = rows.first(where: { $0.contender == usual }) else { return nil }
    func times(_ index: Int) -> (own: String, others: String)? {
      guard let mean = subject.costs[index].time[usual],
        mean.jobs.contains(where: { $0.scenario == columns[index].example && $0.finding != .open })
      else { return nil }
      let texts = [subject, other].compactMap {
        $0.costs[index].example?.summary.medianNanoseconds.map(NumberText.time)
      }
      return texts.count == 2 ? (texts[0], texts[1]) : nil
    }
    guard columns[first].workClass == .uploadsWait, let waiting = times(first),
      let mean = subject.costs[first].processor[usual],
      let cpu = single(first, \.processorNanoseconds, subject, mean, beside: other),
      let second = columns.firstIndex(where: { $0.workClass == .nothingWaits }), let instant = times(second)
    else { return nil }
    let counts = [first, second].map { NumberText.thousands(columns[$0].exampleUploads) }
    return "\(counts[0]) uploads that wait: \(subject.name) \(waiting.own), \(other.name) \(waiting.others), "
      + "CPU \(NumberText.time(cpu.nanoseconds)) \(cpu.isMore ? "more" : "less") per upload; "
      + "\(counts[1]) without a wait: \(instant.own), \(instant.others)."
  }

  /// The contender that most readers ask about.
  static let asked = "swift-concurrency"

  /// Means over a class of work that differ by at most this factor are said to differ little.
  static let small = 1.1
  /// A difference between means over a class of work is mentioned above this factor.
  static let much = 1.25

  /// The contenders that a reader chooses among: those that come with Swift, or all if fewer than two of them do.
  var choices: [Row] {
    let plain = rows.filter { !$0.isVariant && $0.run == nil }
    let shipped = plain.filter(\.comesWithSwift)
    return shipped.count > 1 ? shipped : plain
  }

  /// The remark beside the heading of a group of contenders; empty if there is none.
  func note(on group: String) -> String {
    let packages = IdiomRecord(name: "", shipsWith: "this package").group
    if group == packages {
      return "tuned for this job, not what other libraries cost"
    }
    let run = rows.first { $0.idiom?.group == group }?.run
    guard let run, let other = otherRuns.first(where: { $0.name == run }) else { return "" }
    let names = columns.flatMap(\.names)
    let shared = other.scenarios.count(where: names.contains)
    return "another run, \(shared) of the \(names.count) jobs: compare within it"
  }

  /// What a page adds to the note, because some names are taken for Combine.
  func besides(_ group: String) -> String {
    let contenders = Set(rows.filter { $0.idiom?.group == group }.map(\.contender))
    if contenders.contains("open-combine") {
      return "; OpenCombine stands in for Combine off Apple's platforms"
    }
    return contenders.contains("reactive-streams") ? "; Reactive streams is not Combine" : ""
  }

  private func isDecided(_ index: Int) -> Bool {
    choices.contains { $0.costs[index].time[usual].map { $0.finding != .open } ?? false }
  }

  /// Whether all choices are proved to cost about the same: their intervals lie within the factor ``small`` of 1.
  private func isNear(_ index: Int, _ measure: KeyPath<Cost, [String: ClassMean]>) -> Bool {
    let means = choices.compactMap { $0.costs[index][keyPath: measure][usual] }
    return !means.isEmpty
      && means.allSatisfy { mean in
        mean.interval.map { $0.lowerBound > 1 / Self.small && $0.upperBound < Self.small } ?? false
      }
  }

  /// Among the contenders that are proved to take more than the reference, the one with the largest ratio.
  private func extreme(
    _ index: Int, _ measure: KeyPath<Cost, [String: ClassMean]>
  ) -> (row: Row, mean: ClassMean)? {
    choices.compactMap { row in row.costs[index][keyPath: measure][usual].map { (row, $0) } }
      .filter { $0.1.finding == .more }.max { $0.1.ratio < $1.1.ratio }
  }

  /// The contender that most readers ask about. If it was not measured, the one that differs most from the reference.
  private func subject(_ index: Int) -> Row? {
    let asked = rows.first { $0.contender == Self.asked && $0.contender != usual }
    return asked.flatMap { $0.costs[index].time[usual] == nil ? nil : $0 } ?? extreme(index, \.time)?.row
      ?? extreme(index, \.processor)?.row ?? choices.first { $0.costs[index].time[usual] != nil }
  }

  func name(_ contender: String) -> String { rows.first { $0.contender == contender }?.name ?? contender }

  func multiple(_ mean: ClassMean) -> String { NumberText.multiple(mean.ratio) + "×" }

  /// The ratio in words, such as `3 % longer than DispatchGroup`, `at most 7 % longer …`, or `4.4× the time of …`.
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
  /// How the time of an upload changes with the number of concurrent uploads.
  struct Growth: Sendable, Equatable {
    let title: String
    let text: String
    /// The names of the scenarios, from the smallest fan-out to the largest.
    let scenarios: [String]
  }
}

extension Answer.Growth {
  /// Compares scenarios in which all uploads start concurrently and nothing waits. Returns `nil` for fewer than three fan-outs.
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
