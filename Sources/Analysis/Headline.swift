import Results

/// The sentences at the top of a report, made of nothing but its rows.
enum Headline {
  static func sentences(_ analysis: RunAnalysis) -> [String] {
    let cells = analysis.scenarios.flatMap(\.cells)
    let verdicts = cells.compactMap { $0.comparison?.verdict }
    let contenders = Set(cells.map(\.summary.contender)).count
    var sentences = [
      "\(counted(contenders, "contender")), \(counted(analysis.scenarios.count, "scenario")), "
        + "\(counted(analysis.sampleCount, "sample"))."
    ]
    if verdicts.isEmpty {
      sentences.append("Nothing to compare with \(analysis.reference).")
    } else {
      let parts: [(Comparison.Verdict, String)] = [
        (.faster, "faster"), (.slower, "slower"), (.unresolved, "unresolved"),
      ]
      let counts = parts.map { verdict, word in "\(verdicts.count { $0 == verdict }) \(word)" }
      sentences.append("Against \(analysis.reference): \(counts.joined(separator: ", ")).")
    }
    if !analysis.failed.isEmpty {
      sentences.append("\(counted(analysis.failed.count, "cell")) failed and not ranked.")
    }
    if !analysis.missing.isEmpty {
      sentences.append("\(counted(analysis.missing.count, "cell")) not measured at all.")
    }
    return sentences
  }

  static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
