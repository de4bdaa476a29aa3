import Foundation

/// Reads and writes the kernel's small text files; nil where the platform has none.
enum ProcFile {
  static func read(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  static func write(_ text: String, to path: String) -> Bool {
    guard let file = fopen(path, "w") else { return false }
    defer { fclose(file) }
    return fputs(text, file) >= 0
  }

  /// The number behind `name` in lines such as `VmHWM:   1234 kB`.
  static func number(_ name: String, in text: String) -> Int? {
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
    return line.dropFirst(name.count).split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
  }
}
