import Results

/// The sentences at the top of a report, made of nothing but its rows.
enum Headline {
  static func sentences(_ analysis: RunAnalysis) -> [String] {
    let cells = analysis.scenarios.flatMap(\.cells)
    let verdicts = cells.compactMap(\.summary.verdict)
    let contenders = Set(cells.map(\.summary.contender)).count
    var sentences = [
      "\(counted(contenders, "contender")), \(counted(analysis.scenarios.count, "scenario")), "
        + "\(counted(analysis.sampleCount, "sample"))."
    ]
    if verdicts.isEmpty {
      sentences.append("Nothing to compare with \(analysis.reference).")
    } else {
      let counts = Verdict.allCases.map { verdict in
        "\(verdicts.count { $0 == verdict }) \(verdict.rawValue)"
      }
      sentences.append("Against \(analysis.reference): \(counts.joined(separator: ", ")).")
    }
    let disturbed = analysis.scenarios.count { $0.disturbance.isTooDisturbed }
    if disturbed > 0 {
      sentences.append("\(counted(disturbed, "scenario")) too disturbed to decide anything.")
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
