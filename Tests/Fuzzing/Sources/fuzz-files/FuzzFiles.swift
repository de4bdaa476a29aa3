import Foundation
import Results

// Any bytes of any file that this suite reads are either read or refused in one line.
//
// An input's first byte selects the file, the rest is its content; from 128 on, below a correct header.

private let readings: [Reading] = [
  Reading(Sample.self, dropsTruncatedLastRow: true), Reading(CellSummary.self), Reading(GrowthRecord.self),
  Reading(DuetRound.self), Reading(CountRecord.self), Reading(LoadWindow.self),
  Reading(LoadSummary.self), Reading(LoadLimit.self), Reading(LatencyBucket.self),
  Reading(header: header(of: CountRecord.self)) { path in refusing { _ = try CountsFile(path) } },
  Reading(header: "") { path in refusing { try environment(path) } },
]

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 0 else { return 0 }
  let reading = readings[Int(data[0] & 127) % readings.count]
  file.write(
    (data[0] < 128 ? [] : Array(reading.header.utf8)) + UnsafeBufferPointer(start: data + 1, count: size - 1))
  reading.read(file.path)
  return 0
}

/// A way to read one kind of file.
private struct Reading: Sendable {
  let header: String
  let read: @Sendable (_ path: String) -> Void

  init(header: String, read: @escaping @Sendable (String) -> Void) {
    self.header = header
    self.read = read
  }

  init<Row: CSVRecord>(_: Row.Type, dropsTruncatedLastRow: Bool = false) {
    self.init(header: fuzz_files.header(of: Row.self)) {
      roundTrip(Row.self, $0, dropsTruncatedLastRow: dropsTruncatedLastRow)
    }
  }
}

private func header<Row: CSVRecord>(of _: Row.Type) -> String {
  Row.columns.map(\.name).joined(separator: ",") + "\n"
}

/// Writes and rereads the rows: they stay equal, in a text without control characters.
private func roundTrip<Row: CSVRecord>(_: Row.Type, _ path: String, dropsTruncatedLastRow: Bool = false) {
  refusing {
    let rows = try CSVReader<Row>(path, dropsTruncatedLastRow: dropsTruncatedLastRow).rest()
    let text = try CSVText.text(rows)
    precondition(text.utf8.count { $0 == UInt8(ascii: "\n") } == rows.count + 1, "a row is not a line")
    precondition(
      !text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) },
      "a control character was written")
    file.write(Array(text.utf8))
    let again = try CSVText.text(CSVReader<Row>(path).rest())
    precondition(text == again, "what was written is read as something else")
  }
}

private func environment(_ path: String) throws {
  let json = try Data(contentsOf: URL(fileURLWithPath: path))
  guard let record = try? EnvironmentRecord(json: json) else { return }
  let text = try JSONText.of(record)
  let again = try JSONText.of(EnvironmentRecord(json: Data(text.utf8)))
  precondition(text == again, "what was written is read as something else")
}

/// A refusal is one line that names the file.
private func refusing(_ read: () throws -> Void) {
  do { try read() } catch let error as ResultsError {
    let text = error.description
    precondition(!text.contains("\n") && text.contains(file.path), "refused with: \(text)")
  } catch {
    preconditionFailure("\(error)")
  }
}
