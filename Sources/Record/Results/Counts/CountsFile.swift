import Foundation

/// A CSV file of the allocations, objects and retains that a build is expected to have, with a section for each kind of machine.
public struct CountsFile: Sendable {
  public let path: String
  public let rows: [CountRecord]
  private let lines: [String]

  /// Reads and checks the whole file.
  public init(_ path: String) throws(ResultsError) {
    let reader = try CSVReader<CountRecord>(path)
    var rows: [CountRecord] = []
    var seen: Set<[String]> = []
    while let row = try reader.next() {
      let key = row.key
      let cell = [key.toolchain, key.system, key.architecture, key.turns, row.contender, row.scenario]
      guard seen.insert(cell).inserted else {
        throw .malformed(
          path: path, line: rows.count + 2, column: "scenario",
          problem: "holds \"\(row.scenario)\", already listed for \(row.contender)",
          advice: "Remove one of the two lines.")
      }
      rows.append(row)
    }
    self.path = path
    self.rows = rows
    let text = String(decoding: try POSIXFile.readAll(path) ?? [], as: UTF8.self)
    lines = text.split(separator: "\n").dropFirst().map(String.init)
  }

  /// An empty file in memory, for a path where no file exists.
  public init(newAt path: String) {
    self.path = path
    (rows, lines) = ([], [])
  }

  public var keys: [CountKey] { rows.map(\.key).unique() }

  public func rows(of key: CountKey) -> [CountRecord] { rows.filter { $0.key == key } }

  /// The file's text with the rows of one key replaced. All other rows keep their text and order.
  public func text(replacing key: CountKey, with section: [CountRecord]) throws(ResultsError) -> String {
    var kept: [String] = []
    var place: Int?
    for (row, line) in zip(rows, lines) {
      if row.key == key {
        place = place ?? kept.count
      } else {
        kept.append(line + "\n")
      }
    }
    var new: [String] = []
    for row in section { new.append(try row.csvLine()) }
    kept.insert(contentsOf: new, at: place ?? kept.count)
    return CountRecord.header + kept.joined()
  }

  public func text() -> String { lines.isEmpty ? "" : CountRecord.header + lines.map { $0 + "\n" }.joined() }

  /// Replaces the file atomically and creates its folder.
  public func write(_ text: String) throws(ResultsError) {
    try createFolder()
    do throws(ResultsError) {
      try POSIXFile.replace(path, with: Array(text.utf8))
    } catch {
      throw error.naming(CountRecord.option)
    }
  }

  public func createFolder() throws(ResultsError) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw .cannotWrite(path: path, reason: SystemReason.of(error), option: CountRecord.option)
    }
  }

  /// Throws if the file is read-only, which a replacement, or a write as root, would ignore.
  public func checkWritable() throws(ResultsError) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let permissions = attributes?[.posixPermissions] as? Int else { return }
    if permissions & 0o222 == 0 || access(path, W_OK) != 0 {
      throw .cannotWrite(path: path, reason: "the file is read-only", option: CountRecord.option)
    }
  }

  /// The folder that ``write(_:)`` would create; `nil` if it exists.
  public var missingFolder: String? {
    let folder = (path as NSString).deletingLastPathComponent
    return folder.isEmpty || FileManager.default.fileExists(atPath: folder) ? nil : folder
  }
}

/// An expected count in a file of expected counts: one number or a range.
public enum CommittedCount: Sendable, Equatable {
  /// The count is the same in every iteration.
  case exact(Int)
  /// The count varies. Each process contributes the smallest count of its iterations.
  case within(ClosedRange<Int>)
}

extension CommittedCount: CSVField, CustomStringConvertible {
  init(csvText: String) throws(FieldProblem) {
    let texts = csvText.components(separatedBy: Self.separator)
    let ends = texts.compactMap { end in
      end.utf8.allSatisfy { "0123456789-".utf8.contains($0) } ? Int(end) : nil
    }
    switch (texts.count, ends.count) {
    case (1, 1): self = .exact(ends[0])
    case (2, 2) where ends[0] <= ends[1]: self = .within(ends[0]...ends[1])
    default:
      throw FieldProblem(
        "holds \"\(SafeText.excerpt(csvText))\", which is neither a whole number nor a range such as 45..47")
    }
    try range.lowerBound.pass(.notNegative)
    guard range.upperBound <= Self.most else {
      throw FieldProblem("is \(range.upperBound), which is above the limit of \(Self.most)")
    }
  }

  func csvText() -> String {
    switch self {
    case .exact(let count): String(count)
    case .within(let range): "\(range.lowerBound)\(Self.separator)\(range.upperBound)"
    }
  }

  var columnValue: ColumnValue {
    switch self {
    case .exact(let count): .integer(count)
    case .within: .text(csvText())
    }
  }

  public var isExact: Bool {
    if case .exact = self { true } else { false }
  }

  public var range: ClosedRange<Int> {
    switch self {
    case .exact(let count): count...count
    case .within(let range): range
    }
  }

  public var description: String { csvText() }

  private static let separator = ".."
  private static let most = 1_000_000_000_000
}

/// The properties of toolchain and machine on which counts depend. Only counts with equal keys are compared.
public struct CountKey: Sendable, Hashable, CustomStringConvertible {
  public var toolchain: String
  /// The operating system, such as `debian-12`.
  public var system: String
  public var architecture: String
  /// How threads were scheduled, such as `real-time`.
  public var turns: String

  public init(toolchain: String = "", system: String = "", architecture: String = "", turns: String = "") {
    self.toolchain = toolchain
    self.system = system
    self.architecture = architecture
    self.turns = turns
  }

  public var description: String { "\(toolchain) on \(system), \(architecture), \(turns) turns" }
}

/// A quantity that is counted for each iteration.
public enum CountedQuantity: String, Sendable, CaseIterable {
  case allocations
  case allocatedBytes = "allocated bytes"
  /// The number of Swift objects on the heap.
  case objects
  /// The number of increments of reference counts.
  case retains

  /// A name such as `allocations per post`.
  public func name(per iteration: String) -> String { "\(rawValue) per \(iteration)" }

  /// The total of this quantity in a sample.
  public func count(of sample: Sample) -> Int? {
    switch self {
    case .allocations: sample.allocations
    case .allocatedBytes: sample.allocatedBytes
    case .objects: sample.objects
    case .retains: sample.retains
    }
  }
}

/// The counts of a contender in a scenario on one kind of machine: a row of a counts file.
public struct CountRecord: Sendable, Equatable {
  public var key = CountKey()
  public var contender = ""
  public var scenario = ""
  private var counts: [CountedQuantity: CommittedCount] = [:]

  public init() {}

  /// The count per iteration; `nil` if it could not be counted.
  public subscript(quantity: CountedQuantity) -> CommittedCount? {
    get { counts[quantity] }
    set { counts[quantity] = newValue }
  }
}

extension CountRecord: CSVRecord {
  public static let columns: [Column<CountRecord>] = [
    Column("toolchain", \.key.toolchain, unit: "name"),
    Column("system", \.key.system, unit: "name"),
    Column("architecture", \.key.architecture, unit: "name"),
    Column("turns", \.key.turns, unit: "name"),
    Column("contender", \.contender, unit: "name"),
    Column("scenario", \.scenario, unit: "name"),
    Column("allocations", \.[.allocations], unit: "count or range"),
    Column("allocated_bytes", \.[.allocatedBytes], unit: "bytes or range"),
    Column("objects", \.[.objects], unit: "count or range"),
    Column("retains", \.[.retains], unit: "count or range"),
  ]

  public static var remedy: String {
    "move the file away and write the counts anew with `check --counters FILE --update`"
  }

  public static let option = "--counters"
}
