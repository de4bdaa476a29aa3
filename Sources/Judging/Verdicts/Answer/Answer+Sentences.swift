import Results

extension Answer {
  /// The finding in one sentence, such as `Where uploads wait and none fails, no idiom takes more than 8 % longer than callbacks in any
  /// scenario; where nothing waits, idioms take 1.74 to 8.79 times as long as callbacks on average.`
  public var headline: String {
    let wanted: [ScenarioClass] = [.uploadsWait, .nothingWaits]
    let told = wanted.filter { workClass in columns.contains { $0.workClass == workClass } }
    let parts = (told.isEmpty ? columns.prefix(2).map(\.workClass) : told).compactMap(finding)
    guard let first = parts.first else { return "Nothing is decided between these \(rows.count) contenders." }
    let rest = parts.dropFirst().map { "; " + $0.prefix(1).lowercased() + $0.dropFirst() }.joined()
    return first + rest + "."
  }

  /// nil: nothing of the class is decided.
  private func finding(_ workClass: ScenarioClass) -> String? {
    guard let index = columns.firstIndex(where: { $0.workClass == workClass }) else { return nil }
    let ratios = others(index, \.time).map(\.ratio)
    guard let least = ratios.first, let most = ratios.last else { return nil }
    if let bound = bound(index) {
      return "\(workClass.opening), no idiom takes "
        + (bound > 0 ? "more than \(bound) % longer" : "longer") + " than \(baseline)\(anywhere(index))"
    }
    let span = [least, most].map(NumberText.ratio).unique().joined(separator: " to ")
    return "\(workClass.opening), idioms take \(span) times as long as \(baseline)"
      + (columns[index].scenarios > 1 ? " on average" : "")
  }

  /// What a colleague would say, made of nothing but the rows.
  public var sentences: [String] {
    columns.indices.compactMap { index in
      switch columns[index].workClass {
      case .nothingWaits, .uploadsWait, .blocking: sentence(index)
      case .limited, .failing, .other: nil
      }
    }
  }

  /// Differences within this are told as one bound, larger ones as times.
  private static let small = 1.1
  /// From here on more processor time is worth a word of its own.
  private static let much = 1.25

  private func sentence(_ index: Int) -> String {
    let opening = columns[index].workClass.opening + ", "
    let others = others(index, \.time)
    guard !others.isEmpty else { return opening + "nothing is decided." }
    let undecided = rows.filter {
      $0.costs[index].time.ratio == nil && !$0.costs[index].time.undecided.isEmpty
    }
    .map(\.contender)
    let rest = undecided.isEmpty ? "" : " Undecided: \(Self.list(undecided))."
    guard let bound = bound(index) else {
      return opening + times(index, others) + threads(index) + "." + rest
    }
    return opening + within(bound, others.count == 1 ? others[0].name : nil) + anywhere(index)
      + processor(index) + "." + rest
  }

  /// By how many per cent the baseline is exceeded at most by anybody in any scenario of the class; nil: by so much that ratios
  /// say more.
  private func bound(_ index: Int) -> Int? {
    let ratios = rows.filter { $0.contender != baseline && $0.costs[index].time.ratio != nil }
      .compactMap { $0.costs[index].time.most?.ratio }
    guard let most = ratios.max(), most <= Self.small else { return nil }
    return Self.percentAbove(most)
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
        let own = NumberText.duration(own).trimmed
        return each + "\(own) with \(baseline) and \(NumberText.span(least, most)) with the others"
      }
    }
    let libraries = timed.filter { $0.row.idiom?.shipsWith == "this package" }
    var texts: [String] = []
    for (row, nanoseconds) in timed {
      guard libraries.count > 2, libraries.contains(where: { $0.row == row }) else {
        texts.append("\(NumberText.duration(nanoseconds).trimmed) with \(row.contender)")
        continue
      }
      guard row == libraries[0].row else { continue }
      let span = NumberText.span(nanoseconds, libraries[libraries.count - 1].nanoseconds)
      texts.append("\(span) with this package's libraries")
    }
    return each + Self.list(texts)
  }

  /// How many threads blocked calls take.
  private func threads(_ index: Int) -> String {
    guard columns[index].workClass == .blocking else { return "" }
    let known = rows.compactMap { row in row.costs[index].peakThreads.map { (row.contender, $0) } }
    let others = known.filter { $0.0 != baseline }.map(\.1)
    guard let own = known.first(where: { $0.0 == baseline })?.1, let fewest = others.min(),
      let most = others.max()
    else { return "" }
    let span = fewest == most ? "\(most)" : "\(fewest) to \(most)"
    return "; at most \(own) threads with \(baseline), \(span) with the others"
  }

  static func list(_ texts: [String]) -> String {
    guard texts.count > 1 else { return texts.joined() }
    return texts.dropLast().joined(separator: ", ") + " and " + texts[texts.count - 1]
  }
}
