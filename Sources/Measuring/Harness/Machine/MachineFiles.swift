import Foundation
import Results

/// Reads the kernel's small text files about the machine. Tests inject other files. The text is parsed as bytes, four times as
/// fast as characters, because some files are read before and after each sample.
package struct MachineFiles: Sendable {
  /// The text of the file at a path, or `nil` if there is none.
  let text: @Sendable (String) -> String?

  package static let here = MachineFiles { path in
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var (text, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 16 * 1024))
    // The kernel returns some files in several reads.
    while case let more = read(file, &buffer, buffer.count), more > 0 { text += buffer.prefix(more) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The first line of a file without spaces around it, or `nil` if nothing is left.
  func line(_ path: String) -> String? {
    guard var line = text(path)?.utf8.prefix(while: { $0 != .lineFeed }).drop(while: \.isBlank) else {
      return nil
    }
    while line.last?.isBlank == true { line.removeLast() }
    return line.isEmpty ? nil : String(Substring(line))
  }

  func number(_ path: String) -> Double? { line(path).flatMap { Double($0) } }

  func line(_ start: String, in path: String) -> Substring? {
    text(path)?.utf8.split(separator: .lineFeed).first { $0.starts(with: start.utf8) }.map(Substring.init)
  }

  /// The number that follows `name` in a file, as in the line `VmHWM:   1234 kB`.
  func number(_ name: String, in path: String) -> Double? {
    guard let rest = line(name, in: path)?.utf8.dropFirst(name.utf8.count) else { return nil }
    return Double(Substring(rest.drop { !$0.isDigit }.prefix(while: \.isDigit)))
  }
}

extension UInt8 {
  static var lineFeed: UInt8 { UInt8(ascii: "\n") }
  var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

/// Finds out what this machine permits and which programs it has.
package enum Permissions {
  package static func record(into record: inout MachineRecord, commands: [String]) {
    record.isRealTimePermitted = Placement.realTime.isPermitted
    record.isOneProcessorPermitted =
      Placement.lastProcessor.map { Placement.oneProcessor($0).isPermitted } ?? false
    record.allocator = Counters.foreignAllocator
    record.countsAllocations = Counters.countAllocations
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    record.commands = Dictionary(
      uniqueKeysWithValues: commands.map { ($0, isInstalled($0, path: path)) })
  }

  static func isInstalled(_ command: String, path: String) -> Bool {
    path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(command)") }
  }
}
