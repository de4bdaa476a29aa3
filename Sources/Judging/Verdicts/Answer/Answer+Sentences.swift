import Results

extension Answer {
  /// What a colleague would say of the classes that have an example: a sentence or three each, of nothing but the rows.
  public var sentences: [String] { examples.map(sentence) }

  /// The first sentence, for those who have room for one.
  public var headline: String { sentences[0] }

  /// The columns of which a whole job is shown: the four that people ask for, or the first that there is.
  var examples: [Int] {
    let asked = columns.indices.filter {
      [.uploadsWait, .nothingWaits, .computing, .blocking].contains(columns[$0].workClass)
    }
    return asked.isEmpty ? [0] : asked
  }

  private typealias Told = (name: String, value: Double, isDecided: Bool)

  private func sentence(_ index: Int) -> String {
    let (column, cost) = (columns[index], { (row: Row) in row.costs[index] })
    let opening = column.workClass.words.opening
    let undecided = rows.filter {
      !$0.isVariant && cost($0).time.ratio == nil && !cost($0).time.undecided.isEmpty
    }
    .map(\.contender)
    let means = rows.compactMap { row in cost(row).time.ratio.map { Told(row.contender, $0, true) } }
    let job = "\(NumberText.thousands(column.exampleUploads)) uploads"
    let isAnyDecided = rows.contains {
      !$0.isVariant && $0.contender != baseline && cost($0).time.ratio != nil
    }
    guard isAnyDecided, means.count > 1 else {
      let times = span(told(index, \.summary.medianNanoseconds) { $0.isDecided })
      return opening + ", time is not decided." + (times.map { " \(job): \($0)." } ?? "")
    }
    let open = undecided.count > Self.mostNamed ? "\(undecided.count) contenders" : Self.list(undecided)
    let rest = undecided.isEmpty ? "" : " Undecided: \(open)."
    let processor = span(told(index, \.processorNanoseconds) { $0.processor?.verdict != .unresolved })
    guard let bound = bound(index) else {
      let told = told(index, \.summary.medianNanoseconds) { $0.isDecided }
      let open = told.filter { !$0.isDecided }.map(\.name)
      let times = span(told).map { " \(job): \($0)" }
      let more = column.workClass == .blocking ? processor.map { ". Processor time: \($0)" } : nil
      return "\(opening), \(lead(means.filter { !open.contains($0.name) }, told))"
        + (column.workClass == .blocking ? threads(index) : "") + "."
        + (times.map { $0 + (more ?? "") + "." } ?? rest)
    }
    let longer = bound > 0 ? "more than \(bound) % longer" : "longer"
    let scenarios = column.scenarios > 1 ? " in any scenario" : ""
    let most = rows.compactMap { cost($0).processor.ratio }.max() ?? 1
    let none = undecided.isEmpty ? "no contender" : "none that is decided"
    return "\(opening), \(none) takes \(longer) than \(baseline)\(scenarios)"
      + (most < Self.much ? "." : processor.map { "; choose by processor time: for \(job) \($0)." } ?? ".")
      + rest
  }

  /// Differences within this are told as one bound, larger ones as times.
  private static let small = 1.1
  /// From here on more processor time is worth a word of its own.
  private static let much = 1.25
  /// Means no further apart than this are told together.
  private static let near = 1.05
  /// Of more that lead together the first alone is named.
  private static let mostNamed = 4

  /// Which is fastest on average, of those of which anything is decided, unless the times of the example say otherwise.
  private func lead(_ means: [Told], _ told: [Told]) -> String {
    let sorted = means.sorted { $0.value < $1.value }
    let first = sorted.filter { $0.value <= Self.near * sorted[0].value }.map(\.name)
    let least = told.map(\.value).min() ?? 0
    let isFirstThere = told.contains { first.contains($0.name) && $0.value <= Self.near * least }
    guard told.isEmpty || isFirstThere else {
      return "no contender is fastest throughout (on average \(first[0]))"
    }
    let leaders = first.count > Self.mostNamed ? [first[0], "\(first.count - 1) others"] : first
    return Self.list(leaders) + (first.count > 1 ? " share the lead" : " is fastest")
      + (means.count < rows.count ? " of those decided" : "")
  }

  /// By how many per cent the baseline is exceeded at most by any contender that is decided, in any scenario of the class, to the ends of the intervals, and
  /// rounded up, so that "no more than" is true; nil: by so much that times say more.
  private func bound(_ index: Int) -> Int? {
    let times = rows.filter { $0.contender != baseline && $0.costs[index].time.ratio != nil }
      .map(\.costs[index].time)
    guard let most = times.compactMap(\.most?.ratio).max(), most <= Self.small else { return nil }
    return times.compactMap(\.bound).max().map { $0 <= 1 ? 0 : Int((($0 - 1) * 100).rounded(.up)) }
  }

  /// What a measure of the example is for each, the baseline included, and whether it is decided there.
  private func told(
    _ index: Int, _ measure: (CellReport) -> Double?, isDecided: (CellReport) -> Bool = { _ in true }
  ) -> [Told] {
    rows.compactMap { row in
      guard let cell = row.costs[index].example, let value = measure(cell) else { return nil }
      return Told(row.contender, value, row.contender == baseline || isDecided(cell))
    }
  }

  /// Such as `callbacks 2.50 ms, others 4.88 ms (reactive-streams) to 44.5 ms (operations)`, and who is not decided; nil: nothing to
  /// compare. Who is told apart by little is not named.
  private func span(_ told: [Told]) -> String? {
    guard let own = told.first(where: { $0.name == baseline }) else { return nil }
    let sorted = told.filter { $0.name != baseline }.sorted { $0.value < $1.value }
    let (others, open) = (sorted.filter(\.isDecided), sorted.filter { !$0.isDecided })
    guard let least = others.first, let most = others.last else { return nil }
    var text = "\(baseline) \(NumberText.time(own.value)), "
    if others.count == 1 {
      text += "\(least.name) \(NumberText.time(least.value))"
    } else if most.value <= Self.small * least.value {
      text += "others \(NumberText.span(least.value, most.value))"
    } else {
      text +=
        "others "
        + [least, most].map { "\(NumberText.time($0.value)) (\($0.name))" }.joined(separator: " to ")
    }
    guard let first = open.first, let last = open.last else { return text }
    let names = open.count > 2 ? "\(open.count) more" : Self.list(open.map(\.name))
    let range =
      open.count == 1 ? NumberText.time(first.value) : NumberText.span(first.value, last.value)
    return text + "; \(names) undecided, \(range)"
  }

  /// What tells why a baseline that blocks more calls at once is faster: its threads, if it has most.
  private func threads(_ index: Int) -> String {
    let threads = told(index) { $0.summary.peakThreads.map(Double.init) }
    let others = threads.filter { $0.name != baseline }.map { Int($0.value) }
    guard let own = threads.first(where: { $0.name == baseline }).map({ Int($0.value) }),
      let fewest = others.min(), let most = others.max(), own > most
    else { return "" }
    let range = [fewest, most].unique().map(String.init).joined(separator: " to ")
    let how = own >= columns[index].exampleUploads ? "with a thread for each call" : "on more threads"
    return ", \(how) (\(own), others \(range))"
  }

  static func list(_ texts: [String]) -> String {
    guard texts.count > 1 else { return texts.joined() }
    return texts.dropLast().joined(separator: ", ") + " and " + texts[texts.count - 1]
  }
}

extension CellReport {
  /// Processor time of all threads for a whole job.
  var processorNanoseconds: Double? {
    summary.cpuNanosecondsPerUpload.map { $0 * summary.uploadsPerPost }
  }
}
