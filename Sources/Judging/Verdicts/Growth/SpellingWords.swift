import Results

/// Which spelling of an idiom is the fastest from which fan-out on, where a run has several of one.
struct SpellingWords {
  /// A width at which the idiom's own spelling and another were measured.
  private struct Width {
    let fanOut: Int
    let fastest: String
    /// Of the fastest to the idiom's own; nil: it is that.
    let ratio: (median: Double, interval: ClosedRange<Double>)?
    /// Whose interval beside the fastest holds 1.
    let alike: [String]
  }

  private let idiom: String
  private let series: String
  private let widths: [Width]

  /// One for each idiom of a series.
  static func all(_ times: SeriesTimes) -> [SpellingWords] {
    times.contenders.map { String($0.prefix { $0 != "/" }) }.unique().compactMap { SpellingWords($0, times) }
  }

  /// nil: the series lacks the idiom's own spelling or any other.
  private init?(_ idiom: String, _ times: SeriesTimes) {
    let spellings = times.contenders.indices.filter { times.contenders[$0].hasPrefix(idiom + "/") }
    guard let own = times.contenders.firstIndex(of: idiom), !spellings.isEmpty else { return nil }
    func ratio(_ first: Int, _ second: Int, _ width: Int) -> ClosedRange<Double>? {
      times.interval(of: first, and: second, at: [width]) { $0[0].time / $1[0].time }
    }
    self.idiom = idiom
    series = ScenarioKey(scenario: times.series.name, machine: times.series.machine).description
    widths = times.measuredWidths(of: own).compactMap { width in
      let measured = ([own] + spellings).compactMap { spelling in
        times.median(of: spelling, at: width).map { (spelling, time: $0) }
      }
      guard let fastest = measured.min(by: { $0.time < $1.time }), measured.count > 1,
        let ownTime = measured.first?.time
      else { return nil }
      let alike = measured.map(\.0).filter { other in
        other != fastest.0 && ratio(fastest.0, other, width).map { $0.contains(1) } ?? true
      }
      return Width(
        fanOut: times.fanOut(width), fastest: times.contenders[fastest.0],
        ratio: fastest.0 == own ? nil : ratio(fastest.0, own, width).map { (fastest.time / ownTime, $0) },
        alike: alike.map { times.contenders[$0] })
    }
    guard !widths.isEmpty else { return nil }
  }

  /// Such as `Fastest spelling of swift-concurrency in publish-instant-N, its time against the idiom's own: at 1 upload
  /// native-async (0.25 [0.23, 0.26]); from 10 uploads on …`.
  var sentence: String {
    let parts = widths.indices.map { index -> String in
      let width = widths[index]
      let isLast = index == widths.count - 1 && index > 0
      let place =
        (isLast ? "from " : "at ") + Plural.counted(width.fanOut, "upload") + (isLast ? " on " : " ")
      return place + Self.name(width.fastest, of: idiom) + Self.ratio(width.ratio)
        + (width.alike.isEmpty
          ? ""
          : ", not told apart from " + width.alike.map { Self.name($0, of: idiom) }.joined(separator: ", "))
    }
    return "Fastest spelling of \(idiom) in \(series), with its time against the idiom's own: "
      + parts.joined(separator: "; ") + "."
  }

  private static func name(_ spelling: String, of idiom: String) -> String {
    spelling == idiom ? "its own" : String(spelling.dropFirst(idiom.count + 1))
  }

  private static func ratio(_ ratio: (median: Double, interval: ClosedRange<Double>)?) -> String {
    guard let ratio else { return "" }
    let ends = [ratio.interval.lowerBound, ratio.interval.upperBound].map(NumberText.ratio)
    return " (\(NumberText.ratio(ratio.median)) [\(ends.joined(separator: ", "))])"
  }
}
