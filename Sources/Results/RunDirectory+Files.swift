import Foundation

/// All samples of a run, as far as they were written.
public struct RecordedSamples: Sendable, Hashable {
  public var samples: [Sample]
  /// The number of a last line of samples.csv that a kill cut off and that is left out; nil if there is none.
  public var truncatedLine: Int?

  public init(samples: [Sample], truncatedLine: Int? = nil) {
    self.samples = samples
    self.truncatedLine = truncatedLine
  }
}

extension RunDirectory {
  /// Creates samples.csv, once per run.
  public func sampleWriter() throws(ResultsError) -> CSVWriter<Sample> {
    try CSVWriter(creating: samplesPath)
  }

  /// A reader that goes through samples.csv row by row.
  public func sampleReader() throws(ResultsError) -> CSVReader<Sample> {
    try CSVReader(samplesPath, dropsTruncatedLastRow: true)
  }

  public func readSamples() throws(ResultsError) -> RecordedSamples {
    let reader = try sampleReader()
    let samples = try reader.rest()
    return RecordedSamples(samples: samples, truncatedLine: reader.truncatedLine)
  }

  /// Writes summary.csv, in place of an older one.
  public func write(summary: [CellSummary]) throws(ResultsError) {
    try POSIXFile.replace(summaryPath, with: Array(try CSVText.text(summary).utf8))
  }

  public func readSummary() throws(ResultsError) -> [CellSummary] {
    try CSVReader(summaryPath).rest()
  }

  /// Writes summary.md, in place of an older one.
  public func write(markdown: String) throws(ResultsError) {
    try POSIXFile.replace(markdownPath, with: Array(markdown.utf8))
  }

  /// Writes environment.json, in place of an older one.
  public func write(environment: EnvironmentRecord) throws(ResultsError) {
    let json: Data
    do {
      json = try environment.json()
    } catch {
      throw .refused(column: Self.environmentName, problem: "cannot be encoded: \(error)")
    }
    try POSIXFile.replace(environmentPath, with: Array(json))
  }

  public func readEnvironment() throws(ResultsError) -> EnvironmentRecord {
    let descriptor = try POSIXFile.openForReading(environmentPath)
    defer { _ = close(descriptor) }
    var json = Data()
    while true {
      let bytes = try POSIXFile.readSome(64 * 1024, from: descriptor, path: environmentPath)
      if bytes.isEmpty { break }
      json.append(contentsOf: bytes)
    }
    do {
      return try EnvironmentRecord(json: json)
    } catch {
      throw .malformed(
        path: environmentPath, line: 1, column: nil, problem: "cannot be decoded: \(error)",
        advice: "Record the run again with this version.")
    }
  }
}
