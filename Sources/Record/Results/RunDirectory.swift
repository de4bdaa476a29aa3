import Foundation

/// The folder of a recorded run. It is readable at every moment: samples.csv grows by whole rows, and other files are replaced
/// atomically.
public struct RunDirectory: Sendable, Equatable {
  public static let samplesName = "samples.csv"
  public static let summaryName = "summary.csv"
  public static let pairsName = "pairs.csv"
  public static let growthName = "growth.csv"
  public static let answerName = "answer.json"
  public static let traceName = "trace.json"
  public static let environmentName = "environment.json"
  public static let markdownName = "summary.md"
  public static let latestName = "latest"
  public static let loadName = "load.csv"
  public static let loadSummaryName = "load_summary.csv"
  public static let latenciesName = "latencies.csv"
  public static let limitsName = "limits.csv"

  public let path: String
  /// The name of the folder after resolving links.
  public let name: String

  /// The temporary folder that reserves the run's name until ``begin(_:)`` renames it.
  var claim: RunDirectory {
    RunDirectory(path: (path as NSString).deletingLastPathComponent + "/.\(name).partial", name: name)
  }

  public var samplesPath: String { path + "/" + Self.samplesName }
  /// The lines of samples.csv after its header; 0 if the file is unreadable.
  public var sampleLines: Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: samplesPath)
    guard attributes?[.type] as? FileAttributeType == .typeRegular,
      let data = try? Data(contentsOf: URL(filePath: samplesPath), options: .alwaysMapped)
    else { return 0 }
    return max(0, data.withUnsafeBytes { $0.count { $0 == UInt8(ascii: "\n") } } - 1)
  }
  public var summaryPath: String { path + "/" + Self.summaryName }
  public var environmentPath: String { path + "/" + Self.environmentName }

  /// Reserves a name for a new run in `output`; ``begin(_:)`` creates its folder. Without a `name`, which must be free, `date` becomes the
  /// name, with a number added if that is taken.
  public static func create(
    name: String? = nil, in output: String, date: Date = Date()
  ) throws(ResultsError) -> RunDirectory {
    if let name {
      do throws(FieldProblem) {
        try RecordName.checkRun(name)
      } catch {
        throw .refused(column: "the run's name", problem: error.description)
      }
    }
    do {
      try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
    } catch {
      throw .cannotWrite(path: output, reason: SystemReason.of(error))
    }
    let latest = output + "/" + latestName
    if (try? FileManager.default.attributesOfItem(atPath: latest)[.type] as? FileAttributeType)
      .map({ $0 != .typeSymbolicLink }) ?? false
    {
      throw .exists(path: latest, option: "--output")
    }
    return try claim(name: name, in: output, date: date)
  }

  /// Opens a recorded run. The path may be a link, such as `results/latest`.
  public static func open(_ path: String) throws(ResultsError) -> RunDirectory {
    let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    guard FileManager.default.fileExists(atPath: url.appendingPathComponent(samplesName).path) else {
      let isLoad = FileManager.default.fileExists(atPath: url.appendingPathComponent(loadName).path)
      throw isLoad ? .loadRun(path: path) : .noRun(path: path)
    }
    return RunDirectory(path: path, name: url.lastPathComponent)
  }

  /// The name of a run that started at `date`, such as `20260131-235959`, in UTC.
  public static func defaultName(at date: Date) -> String {
    date.ISO8601Format(
      .iso8601(timeZone: .gmt, dateSeparator: .omitted, dateTimeSeparator: .space, timeSeparator: .omitted)
    )
    .replacing(" ", with: "-").replacing("Z", with: "")
  }

  private static func claim(name: String?, in output: String, date: Date) throws(ResultsError) -> RunDirectory
  {
    let stem = name ?? defaultName(at: date)
    var attempt = 1
    while true {
      let candidate = attempt == 1 ? stem : "\(stem)-\(attempt)"
      let run = RunDirectory(path: output + "/" + candidate, name: candidate)
      let isClaimed = mkdir(run.claim.path, 0o755) == 0
      if !isClaimed, errno != EEXIST { throw .cannotWrite(path: run.path, reason: POSIXFile.lastErrorText) }
      // The folder is looked up after the name is reserved, because another process may just have created it.
      let isTaken = (try? FileManager.default.attributesOfItem(atPath: run.path)) != nil
      if isClaimed, !isTaken { return run }
      if isClaimed { rmdir(run.claim.path) }
      if name != nil { throw .exists(path: isTaken ? run.path : run.claim.path, option: "--name") }
      attempt += 1
    }
  }
}

extension RunDirectory {
  /// Creates the run's folder with environment.json and an empty samples.csv, and points `latest` at it. Call it once. If any step fails,
  /// files and folder are removed.
  public func begin(_ environment: EnvironmentRecord) throws(ResultsError) -> CSVWriter<Sample> {
    try begin(environment, Self.samplesName)
  }

  /// Like ``begin(_:)``, but creates load.csv instead of samples.csv.
  public func beginLoad(_ environment: EnvironmentRecord) throws(ResultsError) -> CSVWriter<LoadWindow> {
    try begin(environment, Self.loadName)
  }

  /// Frees the name of a run that has not begun.
  public func abandon() { rmdir(claim.path) }

  func begin<Row>(_ environment: EnvironmentRecord, _ samplesName: String) throws(ResultsError)
    -> CSVWriter<Row>
  {
    var folder = claim.path
    do throws(ResultsError) {
      try claim.write(environment: environment)
      let writer = try CSVWriter<Row>(creating: "\(folder)/\(samplesName)", named: "\(path)/\(samplesName)")
      try POSIXFile.move(folder, over: path)
      folder = path
      try POSIXFile.replaceLink(path + "/../" + Self.latestName, target: name)
      return writer
    } catch {
      unlink("\(folder)/\(Self.environmentName)")
      unlink("\(folder)/\(samplesName)")
      // `rmdir` removes only an empty folder.
      rmdir(folder)
      throw error
    }
  }

  public func sampleReader() throws(ResultsError) -> CSVReader<Sample> {
    try CSVReader(samplesPath, dropsTruncatedLastRow: true)
  }

  public func write(_ rows: [some CSVRecord], as name: String) throws(ResultsError) {
    try write(CSVText.text(rows), as: name)
  }

  public func readSummary() throws(ResultsError) -> [CellSummary] { try CSVReader(summaryPath).rest() }

  /// Writes growth.csv, unless there are no rows.
  public func write(growth: [GrowthRecord]) throws(ResultsError) {
    guard !growth.isEmpty else { return }
    try write(growth, as: Self.growthName)
  }

  /// Writes a file of the run, replacing an older one.
  public func write(_ text: String, as name: String) throws(ResultsError) {
    try POSIXFile.replace(path + "/" + name, with: Array(text.utf8))
  }

  public func write(environment: EnvironmentRecord) throws(ResultsError) {
    let json: String
    do {
      json = try JSONText.of(environment)
    } catch {
      throw .refused(column: Self.environmentName, problem: "cannot be encoded: \(error)")
    }
    try write(json, as: Self.environmentName)
  }

  /// The limit of environment.json, far above a real one, which has some 30 kB.
  static let mostEnvironmentBytes = 64 << 20

  public func readEnvironment() throws(ResultsError) -> EnvironmentRecord {
    func malformed(_ key: String?, _ problem: String) -> ResultsError {
      .malformed(
        path: environmentPath, line: nil, column: key, problem: problem,
        advice: "Record the run again with this version.")
    }
    guard let json = try POSIXFile.readAll(environmentPath, most: Self.mostEnvironmentBytes) else {
      throw malformed(nil, "is larger than \(Self.mostEnvironmentBytes >> 20) MiB, the limit of this file")
    }
    do {
      // JSONSerialization's errors say where the JSON is invalid; the decoder's errors do not.
      let object = try JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)
      if let (key, number) = Self.negative(object) {
        throw malformed(SafeText.excerpt(key), "is \(number), but must not be negative")
      }
      return try EnvironmentRecord(json: Data(json))
    } catch let error as ResultsError {
      throw error
    } catch {
      let (key, problem) = Self.problem(of: error)
      throw malformed(key, problem)
    }
  }

  private static func negative(_ value: Any, _ key: String = "") -> (key: String, number: NSNumber)? {
    let inner = key.isEmpty ? "" : key + "."
    switch value {
    case let object as [String: Any]:
      return object.sorted { $0.key < $1.key }.lazy.compactMap { negative($0.value, inner + $0.key) }.first
    case let array as [Any]: return array.lazy.compactMap { negative($0, key) }.first
    case let number as NSNumber where number.doubleValue < 0: return (key, number)
    default: return nil
    }
  }

  private static func problem(of error: any Error) -> (key: String?, problem: String) {
    func key(_ path: [any CodingKey]) -> String? {
      path.isEmpty ? nil : SafeText.excerpt(path.map(JSONText.Keys.inFile).joined(separator: "."))
    }
    func text(_ reason: String) -> String {
      String(SafeText.neutralised(reason).reversed().drop { $0 == "." }.reversed())
    }
    switch error as? DecodingError {
    case .keyNotFound(let missing, let context): return (key(context.codingPath + [missing]), "is missing")
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return (key(context.codingPath), "holds a value of the wrong type")
    case .dataCorrupted(let context) where context.codingPath.isEmpty:
      // JSONSerialization has accepted the text, so the fault is a number that the decoder cannot convert.
      return (nil, "has a number that is too large, or not whole where it must be")
    case .dataCorrupted(let context):
      return (key(context.codingPath), "cannot be decoded: \(text(context.debugDescription))")
    default:
      let reason = (error as NSError).userInfo["NSDebugDescription"] as? String
      return (nil, "is no JSON: \(text(reason ?? error.localizedDescription))")
    }
  }
}

extension RunDirectory {
  /// All samples in the file's order, and the number of a last line that was cut off. Throws if a sample occurs twice. In this module the
  /// compiler specialises the reader for `Sample`; a generic reader takes ten times as long.
  ///
  /// - Parameters:
  ///   - capacity: the expected number of samples, such as ``sampleLines``, for which memory is reserved.
  ///   - partBytes: the number of bytes that a thread parses at a time; at least the length of the header.
  public func readSamples(
    reserving capacity: Int = 0, inPartsOf partBytes: Int = 1 << 20
  ) throws(ResultsError) -> (samples: [Sample], truncatedLine: Int?) {
    if let samples = samples(reserving: capacity, inPartsOf: partBytes) { return (samples, nil) }
    let reader = try sampleReader()
    var (samples, lines): ([Sample], [Turn: Int]) = ([], [:])
    var (cells, known): ([Cell: Int], Sample.KnownCells) = ([:], Sample.KnownCells())
    samples.reserveCapacity(capacity)
    while var sample = try reader.next() {
      known.share(&sample)
      let cell = Cell(sample)
      let turn = Turn(cell: cells[cell, default: cells.count], sample)
      cells[cell] = turn.cell
      if let earlier = lines.updateValue(reader.line, forKey: turn) {
        throw .malformed(
          path: reader.path, line: reader.line, column: "round",
          problem: "repeats line \(earlier): the same generation, round, position, contender and scenario",
          advice: "Remove one of them, or record the run again.")
      }
      samples.append(sample)
    }
    return (samples, reader.truncatedLine)
  }

  /// All samples, parsed on all processors; `nil` if the file is unusual and must be read line by line.
  private func samples(reserving capacity: Int, inPartsOf partBytes: Int) -> [Sample]? {
    guard let reader = try? sampleReader(), let file = FileHandle(forReadingAtPath: samplesPath) else {
      return nil
    }
    let columns = reader.columns
    var (samples, last, widths): ([Sample], [Cell: Turn], [String: Int]) = ([], [:], [:])
    samples.reserveCapacity(capacity)
    var (pending, isFirst, known) = (Data(), true, Sample.KnownCells())
    while true {
      var parts: [[UInt8]] = []
      while parts.count < ProcessInfo.processInfo.activeProcessorCount,
        let bytes = try? file.read(upToCount: partBytes), !bytes.isEmpty
      {
        pending += bytes
        guard let first = pending.firstIndex(of: UInt8(ascii: "\n")), first < partBytes,
          let end = pending.lastIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        parts.append([UInt8](pending[(isFirst ? first + 1 : 0)..<(end + 1)]))
        (pending, isFirst) = (Data(pending[(end + 1)...]), false)
      }
      if parts.isEmpty { return pending.isEmpty && !isFirst ? samples : nil }
      for part in parts.concurrentMap({ Self.samples($0, columns, samplesPath) }) {
        guard let part else { return nil }
        for (scenario, fanOut) in part.widths
        where widths.updateValue(fanOut, forKey: scenario) ?? fanOut != fanOut {
          return nil
        }
        for var sample in part.samples {
          let turn = Turn(cell: 0, sample)
          if let earlier = last.updateValue(turn, forKey: Cell(sample)), !(earlier < turn) { return nil }
          known.share(&sample)
          samples.append(sample)
        }
      }
    }
  }

  private static func samples(
    _ part: [UInt8], _ columns: [Column<Sample>?], _ path: String
  ) -> (samples: [Sample], widths: [String: Int])? {
    let reader = CSVReader<Sample>(part, of: columns, path: path)
    guard let samples = try? reader.rest() else { return nil }
    return (samples, reader.widths.mapValues(\.fanOut))
  }

  private struct Cell: Hashable {
    let run, contender, scenario: String
    let machine: String?

    init(_ sample: Sample) {
      (run, contender, scenario) = (sample.run, sample.contender, sample.scenario)
      machine = sample.machine
    }
  }

  /// What identifies a sample. A round may have two samples of a contender, in two positions.
  private struct Turn: Hashable {
    let cell, generation, round, position: Int

    init(cell: Int, _ sample: Sample) {
      self.cell = cell
      (generation, round, position) = (sample.generation, sample.round, sample.position)
    }

    static func < (left: Self, right: Self) -> Bool {
      (left.generation, left.round, left.position) < (right.generation, right.round, right.position)
    }
  }
}
