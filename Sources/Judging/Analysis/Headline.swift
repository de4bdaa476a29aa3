import Results

/// The sentences at the top of a report, made of nothing but its rows.
enum Headline {
  static func sentences(_ analysis: RunAnalysis) -> [String] {
    let cells = analysis.scenarios.flatMap(\.cells)
    let verdicts = cells.compactMap(\.summary.verdict)
    let contenders = Set(cells.filter { $0.standing != .externalBaseline }.map(\.summary.contender)).count
    let scenarios = Set(analysis.scenarios.map(\.name)).count
    let machines = Set(analysis.scenarios.compactMap(\.place.machine)).count
    var sentences = [
      "\(Plural.counted(contenders, "contender")), \(Plural.counted(scenarios, "scenario"))\(machines > 1 ? " on \(machines) machines" : ""), "
        + "\(Plural.counted(analysis.sampleCount, "sample"))."
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
      sentences.append("\(Plural.counted(disturbed, "scenario")) too disturbed to decide anything.")
    }
    if !analysis.failed.isEmpty {
      sentences.append("\(Plural.counted(analysis.failed.count, "cell")) failed and not ranked.")
    }
    if !analysis.missing.isEmpty {
      sentences.append("\(Plural.counted(analysis.missing.count, "cell")) not measured at all.")
    }
    return sentences
  }
}
