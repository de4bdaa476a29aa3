import Foundation

/// Committed counts: a section for each kind of machine, in one CSV file.
public struct CountsFile: Sendable {
  public let path: String
  public let rows: [CountRecord]
  /// The rows as they stand there, without their line feeds.
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
          problem: "holds \"\(row.scenario)\", which the section has of \(row.contender) already",
          advice: "Remove one of the two lines.")
      }
      rows.append(row)
    }
    self.path = path
    self.rows = rows
    let text = String(decoding: try POSIXFile.readAll(path) ?? [], as: UTF8.self)
    lines = text.split(separator: "\n").dropFirst().map(String.init)
  }

  /// A file that is not there yet.
  public init(newAt path: String) {
    self.path = path
    (rows, lines) = ([], [])
  }

  public var keys: [CountKey] { rows.map(\.key).unique() }

  public func rows(of key: CountKey) -> [CountRecord] { rows.filter { $0.key == key } }

  /// The file's text with the rows of one key replaced; those of all others stay byte for byte what and where they are.
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

  /// What stands in the file now; empty if it is not there.
  public func text() -> String {
    lines.isEmpty ? "" : CountRecord.header + lines.map { $0 + "\n" }.joined()
  }

  /// Replaces the file at once: whoever reads it sees all of the old text or all of the new one. Creates its folder.
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

  /// Refuses a file whose permissions say that nobody is to write it: replacing it would pass over them, as would writing
  /// it as root.
  public func checkWritable() throws(ResultsError) {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let permissions = attributes?[.posixPermissions] as? Int else { return }
    if permissions & 0o222 == 0 || access(path, W_OK) != 0 {
      throw .cannotWrite(path: path, reason: "the file is read-only", option: CountRecord.option)
    }
  }

  /// The folder that ``write(_:)`` would have to create; nil: it is there.
  public var missingFolder: String? {
    let folder = (path as NSString).deletingLastPathComponent
    return folder.isEmpty || FileManager.default.fileExists(atPath: folder) ? nil : folder
  }
}
