import Results

/// The Markdown report's part on growth.
enum GrowthMarkdown {
  static func blocks(_ report: GrowthReport) -> [String] {
    guard !report.records.isEmpty else { return [] }
    let crossovers = report.crossovers.map {
      "- " + MarkdownReport.escaped(GrowthText.text($0)) + " (\($0.series))"
    }
    let sentences = report.sentences.map { "- **" + MarkdownReport.escaped($0) + "**" }
    let lists = [sentences, crossovers].filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
    return report.tables.map(table) + lists + [note]
  }

  private static let header = [
    "Contender", "N^", "Interval", "Widest", "a", "b·N", "c·N·log2 N", "Off by", "Time/upload",
    "Bytes/upload", "Growth",
  ]

  private static func table(_ records: [GrowthRecord]) -> String {
    let lines =
      [header, [":---"] + header.dropFirst().dropLast().map { _ in "---:" } + [":---"]] + records.map(row)
    return "### Growth of \(GrowthText.subject(records))\n\n"
      + lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
  }

  private static func row(_ record: GrowthRecord) -> [String] {
    [
      "`\(record.contender)`", record.exponent.map(NumberText.ratio) ?? "", GrowthText.interval(record),
      record.widestExponent.map(NumberText.ratio) ?? "",
      coefficient(record.fixedNanoseconds, record.fixedLowNanoseconds, record.fixedHighNanoseconds),
      coefficient(record.linearNanoseconds, record.linearLowNanoseconds, record.linearHighNanoseconds),
      coefficient(
        record.logLinearNanoseconds, record.logLinearLowNanoseconds, record.logLinearHighNanoseconds),
      record.largestDeviation.map(NumberText.percent) ?? "",
      MarkdownReport.duration(record.nanosecondsPerUpload), record.bytesPerUpload.map(NumberText.bytes) ?? "",
      record.verdict?.rawValue ?? "",
    ]
  }

  private static func coefficient(_ value: Double?, _ low: Double?, _ high: Double?) -> String {
    let text = MarkdownReport.duration(value)
    guard let low, let high else { return text }
    return "\(text) [\(MarkdownReport.duration(low)), \(MarkdownReport.duration(high))]"
  }

  private static let note =
    "*N^*: slope of ln(time of a post) against ln(uploads), from 1000 uploads on if there are two such fan-outs, else from "
    + "10, with its 95 % interval; *widest*: between the two largest. *a*, *b*, *c*: least squares of the relative errors; "
    + "*off by*: from the worst median. *Bytes/upload*: resident memory at its most during a post above that before it, at "
    + "the largest fan-out."
}
