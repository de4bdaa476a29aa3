import Foundation
import Synchronization

/// Appends rows to a new CSV file, each row handed to the system at once.
///
/// The header is written on creation. A row is one `write(2)`, so whatever ends the process leaves whole rows behind;
/// where the system takes only a part (a full disk), the part is cut off again before the error is thrown. Several
/// threads may append.
public final class CSVWriter<Row: CSVRecord>: Sendable {
  public let path: String
  /// The open file and the length of its whole rows; nil once closed.
  private let file: Mutex<(descriptor: Int32, length: off_t)?>

  /// Creates the file; one that exists is never overwritten.
  public convenience init(creating path: String) throws(ResultsError) {
    try self.init(creating: path, named: path)
  }

  /// - Parameter name: where it will be when anything is told of it.
  init(creating path: String, named name: String) throws(ResultsError) {
    self.path = name
    let descriptor: Int32
    do throws(ResultsError) {
      descriptor = try POSIXFile.createForAppending(path)
    } catch {
      throw error.naming(Row.option)
    }
    file = Mutex((descriptor, 0))
    try write(Row.header)
  }

  deinit {
    file.withLock { if let descriptor = $0?.descriptor { _ = Foundation.close(descriptor) } }
  }

  public func append(_ row: Row) throws(ResultsError) {
    try write(row.csvLine())
  }

  /// Closes the file, which is where some file systems report a failed write. Later appends are refused.
  public func close() throws(ResultsError) {
    let path = path
    try file.withLock { file throws(ResultsError) in
      guard let descriptor = file?.descriptor else { return }
      file = nil
      if Foundation.close(descriptor) != 0 {
        throw .cannotWrite(path: path, reason: POSIXFile.lastErrorText, option: Row.option)
      }
    }
  }

  private func write(_ line: String) throws(ResultsError) {
    let path = path
    let bytes = Array(line.utf8)
    try file.withLock { file throws(ResultsError) in
      guard let (descriptor, length) = file else {
        throw .cannotWrite(path: path, reason: "it was closed before")
      }
      do throws(ResultsError) {
        try POSIXFile.writeAll(bytes, to: descriptor, path: path)
      } catch {
        // Best effort: if even this fails, the reader recognises and drops the partial last row.
        _ = ftruncate(descriptor, length)
        throw error.naming(Row.option)
      }
      file = (descriptor, length + off_t(bytes.count))
    }
  }
}
