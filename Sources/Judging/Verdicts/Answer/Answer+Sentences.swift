import Results

extension Answer {
  /// The finding in one sentence, such as `Where nothing waits, callbacks is fastest; operations is slowest, at 8.67 times the time
  /// and 8.73 times the processor time of callbacks on average; where uploads wait and none fails, nobody takes more than 8 % longer than
  /// callbacks in any scenario, but swift-concurrency takes 2.25 and operations 2.27 times the processor time on average.`
  public var headline: String {
    let parts = headlined.compactMap(finding)
    guard let first = parts.first else { return "Nothing is decided between these \(rows.count) contenders." }
    let rest = parts.dropFirst().map { "; " + $0.prefix(1).lowercased() + $0.dropFirst() }.joined()
    return first + rest + "."
  }

  /// The columns that the headline is about.
  private var headlined: [Int] {
    let told = columns.indices.filter { [.nothingWaits, .uploadsWait].contains(columns[$0].workClass) }
    return told.isEmpty ? Array(columns.indices.prefix(2)) : told
  }

  /// The headline, and a sentence for each class that it is not about: what a screen has room for.
  var summary: [String] {
    [headline] + columns.indices.filter { !headlined.contains($0) }.compactMap(told)
  }

  /// nil: nothing of the class is decided.
  private func finding(_ index: Int) -> String? {
    let opening = columns[index].workClass.words.opening
    let all = rows.compactMap { row in row.costs[index].time.ratio.map { (name: row.contender, ratio: $0) } }
      .sorted { $0.ratio < $1.ratio }
    guard all.count > 1, let most = all.last else { return nil }
    if let bound = bound(index) {
      return "\(opening), nobody takes "
        + (bound > 0 ? "more than \(bound) % longer" : "longer") + " than \(baseline)\(anywhere(index))"
        + mostProcessor(index)
    }
    let first = all.filter { $0.ratio <= Self.lead * all[0].ratio }.map(\.name)
    let open = all.count < rows.count ? " of those decided" : ""
    let cpu = rows.first { $0.contender == most.name }?.costs[index].processor.ratio
    let leaders = first.count > Self.mostNamed ? [first[0], "\(first.count - 1) others"] : first
    return "\(opening), \(Self.list(leaders)) "
      + (first.count > 1 ? "share the lead" : "is fastest") + open
      + "; \(most.name) is slowest, at \(NumberText.ratio(most.ratio)) times the time"
      + (cpu.map { " and \(NumberText.ratio($0)) times the processor time" } ?? "") + " of \(baseline)"
      + (columns[index].scenarios > 1 ? " on average" : "")
  }

  /// Of more that lead together the first alone is named.
  private static let mostNamed = 4
  /// Means no further apart than this are told together.
  private static let lead = 1.05

  /// Who takes most processor time, where time tells nobody apart.
  private func mostProcessor(_ index: Int) -> String {
    let others = others(index, \.processor)
    guard let most = others.last, most.ratio >= Self.much else { return "" }
    let near = others.filter { $0.ratio * Self.lead >= most.ratio }
    let texts = near.enumerated().map { place, other in
      "\(other.name) \(place == 0 ? "takes " : "")\(NumberText.ratio(other.ratio))"
    }
    return ", but \(Self.list(texts)) times the processor time on average"
  }

  /// What a colleague would say, made of nothing but the rows.
  public var sentences: [String] { [cheapest].compactMap(\.self) + columns.indices.compactMap(told) }

  /// Who takes the least processor time of those that come with Swift, in the classes in which all of theirs is decided.
  private var cheapest: String? {
    let own = rows.filter { $0.idiom?.shipsWith == "toolchain" }
    let least = columns.indices.compactMap { index -> (title: String, name: String, ratio: Double)? in
      let means = own.map { (name: $0.contender, mean: $0.costs[index].processor) }
      guard means.allSatisfy({ $0.mean.ratio != nil && $0.mean.undecided.isEmpty }),
        let first = means.min(by: { $0.mean.ratio! < $1.mean.ratio! })
      else { return nil }
      return (columns[index].workClass.title, first.name, first.mean.ratio!)
    }
    let wins = own.map { row in (name: row.contender, count: least.count { $0.name == row.contender }) }
    guard own.count > 1, let most = wins.max(by: { $0.count < $1.count }), most.count > 0 else { return nil }
    let others = least.filter { $0.name != most.name }.map {
      "\($0.title), where \($0.name) takes \(NumberText.ratio($0.ratio)) times that of \(baseline)"
    }
    return "Of those that come with Swift, \(most.name) takes the least processor time on average "
      + "in every class of work"
      + (least.count < columns.count ? " that the run decides" : "")
      + (others.isEmpty ? "" : " but " + Self.list(others)) + "."
  }

  /// nil: a class that the tables tell.
  private func told(_ index: Int) -> String? {
    switch columns[index].workClass {
    case .nothingWaits, .uploadsWait, .blocking: sentence(index)
    case .limited, .failing, .other: nil
    }
  }

  /// Differences within this are told as one bound, larger ones as times.
  private static let small = 1.1
  /// From here on more processor time is worth a word of its own.
  private static let much = 1.25

  private func sentence(_ index: Int) -> String {
    let column = columns[index]
    let isOneOfSome = column.workClass == .blocking && column.scenarios > 1
    let opening = column.workClass.words.opening + (isOneOfSome ? " (\(column.example)), " : ", ")
    let others = others(index, \.time)
    guard !others.isEmpty else { return opening + "nothing is decided." }
    let undecided = rows.filter {
      $0.costs[index].time.ratio == nil && !$0.costs[index].time.undecided.isEmpty
    }
    .map(\.contender)
    let rest = undecided.isEmpty ? "" : " Undecided: \(Self.list(undecided))."
    guard let bound = bound(index) else {
      return opening + times(index, others) + blocked(index) + "." + dearer(index) + rest
    }
    return opening + within(bound, others.count == 1 ? others[0].name : nil) + anywhere(index)
      + processor(index) + "." + rest
  }

  /// By how many per cent the baseline is exceeded at most by anybody in any scenario of the class, to the ends of the intervals;
  /// nil: by so much that ratios say more.
  private func bound(_ index: Int) -> Int? {
    let times = rows.filter { $0.contender != baseline && $0.costs[index].time.ratio != nil }
      .map(\.costs[index].time)
    guard let most = times.compactMap(\.most?.ratio).max(), most <= Self.small else { return nil }
    return times.compactMap(\.bound).max().map(Self.percentAbove)
  }

  private func anywhere(_ index: Int) -> String { columns[index].scenarios > 1 ? " in any scenario" : "" }

  /// The others whose mean is known, the least first.
  private func others(_ index: Int, _ mean: KeyPath<Cost, Mean>) -> [(name: String, ratio: Double)] {
    rows.filter { $0.contender != baseline }
      .compactMap { row in
        row.costs[index][keyPath: mean].ratio.map { (name: row.contender, ratio: $0) }
      }
      .sorted { $0.ratio < $1.ratio }
  }

  /// Such as `no contender takes more than 5 % longer than callbacks`.
  private func within(_ share: Int, _ only: String?) -> String {
    let than = share > 0 ? "takes more than \(share) % longer" : "takes longer"
    guard let only else { return "no contender \(than) than \(baseline)" }
    return share > 0
      ? "\(only) takes at most \(share) % longer than \(baseline)"
      : "\(only) takes no longer than \(baseline)"
  }

  /// The whole per cent by which a ratio exceeds 1, rounded up, so that "no more than" is true.
  private static func percentAbove(_ ratio: Double) -> Int {
    ratio <= 1 ? 0 : Int(((ratio - 1) * 100).rounded(.up))
  }

  /// What the second processor hides: who takes much more processor time, the most first.
  private func processor(_ index: Int) -> String {
    let others = others(index, \.processor)
    guard let most = others.last else { return "" }
    let much = others.filter { $0.ratio >= Self.much }
    guard !much.isEmpty else {
      let share = Self.percentAbove(most.ratio)
      return share > 0 ? ", nor over \(share) % more processor time" : ", nor more processor time"
    }
    let texts = much.suffix(3).reversed().enumerated().map { place, other in
      place == 0
        ? "\(other.name) takes \(NumberText.ratio(other.ratio)) times the processor time"
        : "\(other.name) \(NumberText.ratio(other.ratio))"
    }
    return ", but " + Self.list(texts)
  }

  /// What an upload takes with whom; this package's libraries, which are many, in one span.
  private func times(_ index: Int, _ others: [(name: String, ratio: Double)]) -> String {
    let column = columns[index]
    let timed = rows.compactMap { row in
      row.costs[index].exampleNanoseconds.map { (row: row, nanoseconds: $0) }
    }.sorted { $0.nanoseconds < $1.nanoseconds }
    guard timed.count > 1 else {
      let span = [others.first, others.last].compactMap(\.self).map {
        "\(NumberText.ratio($0.ratio)) times (\($0.name))"
      }
      return "the others take " + span.unique().joined(separator: " to ") + " as long as \(baseline)"
    }
    let each = "each of \(NumberText.thousands(column.exampleUploads)) uploads takes "
    if let own = timed.first(where: { $0.row.contender == baseline })?.nanoseconds, timed.count > 3 {
      let others = timed.filter { $0.row.contender != baseline }.map(\.nanoseconds)
      if let least = others.first, let most = others.last, most <= Self.small * least {
        let own = NumberText.time(own)
        return each + "\(own) with \(baseline) and \(NumberText.span(least, most)) with the others"
      }
    }
    let libraries = timed.filter { $0.row.idiom?.shipsWith == "this package" }
    var texts: [String] = []
    for (row, nanoseconds) in timed {
      guard libraries.count > 2, libraries.contains(where: { $0.row == row }) else {
        texts.append("\(NumberText.time(nanoseconds)) with \(row.contender)")
        continue
      }
      guard row == libraries[0].row else { continue }
      let span = NumberText.span(nanoseconds, libraries[libraries.count - 1].nanoseconds)
      texts.append("\(span) with this package's libraries")
    }
    return each + Self.list(texts)
  }

  /// What blocked calls take besides time in the example: threads, which tell why, and processor time.
  private func blocked(_ index: Int) -> String {
    guard columns[index].workClass == .blocking else { return "" }
    let cells = rows.compactMap { $0.costs[index].example }
    let others = cells.filter { $0.summary.contender != baseline }
    let ratios = others.compactMap(\.processor).filter { $0.verdict != .unresolved }.compactMap(\.ratio)
    let processor = [ratios.min(), ratios.max()].compactMap { $0.map(NumberText.ratio) }.unique()
    let times =
      processor.isEmpty
      ? ""
      : "; the others take \(processor.joined(separator: " to ")) times the processor time of \(baseline)"
    guard let own = cells.first(where: { $0.summary.contender == baseline })?.summary.peakThreads,
      let fewest = others.compactMap(\.summary.peakThreads).min(),
      let most = others.compactMap(\.summary.peakThreads).max()
    else { return times }
    let isFastest = others.allSatisfy { $0.summary.ratio.map { $0 > 1 } ?? false }
    return
      (own > most && isFastest
      ? "; with \(baseline) more calls block at once, on at most \(own) threads, "
      : "; a process has at most \(own) threads with \(baseline), ")
      + [fewest, most].unique().map(String.init).joined(separator: " to ") + " with the others" + times
  }

  /// Who takes much more processor time in another scenario of blocked calls than the example, which their mean hides.
  private func dearer(_ index: Int) -> String {
    let column = columns[index]
    guard column.workClass == .blocking else { return "" }
    let most = rows.compactMap { row -> (name: String, at: Single)? in
      let processor = row.costs[index].processor
      guard let most = processor.most, most.scenario != column.example, most.ratio >= Self.much,
        !processor.undecided.contains(most.scenario)
      else { return nil }
      return (row.contender, most)
    }.sorted { $0.at.ratio > $1.at.ratio }
    guard let scenario = most.first?.at.scenario else { return "" }
    let texts = most.filter { $0.at.scenario == scenario }.enumerated().map { place, other in
      "\(other.name) " + (place == 0 ? "takes " : "") + NumberText.ratio(other.at.ratio)
        + (place == 0 ? " times the processor time of \(baseline)" : "")
    }
    return " In \(scenario) \(Self.list(texts))."
  }

  static func list(_ texts: [String]) -> String {
    guard texts.count > 1 else { return texts.joined() }
    return texts.dropLast().joined(separator: ", ") + " and " + texts[texts.count - 1]
  }
}
