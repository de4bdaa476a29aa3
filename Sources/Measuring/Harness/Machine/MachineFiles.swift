import CProbes
import Foundation
import Results

/// The small text files in which a kernel shows what it is doing; tests put others in their place.
package struct MachineFiles: Sendable {
  /// A file's text by its path; nil if there is none.
  let text: @Sendable (String) -> String?

  package static let here = MachineFiles { path in
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// The first line of a file, without blanks around it; nil if it is empty.
  func line(_ path: String) -> String? {
    let line = text(path)?.prefix { $0 != "\n" }.trimmingCharacters(in: .whitespaces)
    return line?.isEmpty == false ? line : nil
  }

  func number(_ path: String) -> Double? { line(path).flatMap { Double($0) } }

  /// A file's first line that begins so.
  func line(_ start: String, in path: String) -> Substring? {
    text(path)?.split(separator: "\n").first { $0.hasPrefix(start) }
  }

  /// The number behind `name` in lines such as `VmHWM:   1234 kB`.
  func number(_ name: String, in path: String) -> Double? {
    line(name, in: path)?.dropFirst(name.count).split { !$0.isNumber }.first.flatMap { Double($0) }
  }
}

/// What this machine permits and has installed, found out by trying.
package enum Permissions {
  /// Tries what a measurement would need, by short processes of its own.
  package static func record(into record: inout MachineRecord, commands: [String]) {
    record.isRealTimePermitted = Placement.realTime.isPermitted
    record.isOneProcessorPermitted =
      Placement.lastProcessor.map { Placement.oneProcessor($0).isPermitted } ?? false
    self.record(kernelInto: &record)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    record.commands = Dictionary(
      uniqueKeysWithValues: commands.map { ($0, isInstalled($0, path: path)) })
  }

  /// What only this platform's kernel has.
  static func record(kernelInto record: inout MachineRecord) {
    #if os(Linux)
      record.countsInstructions = machine_counts_instructions()
      record.guardsPagesLightly = machine_guards_pages_lightly()
    #endif
  }

  static func isInstalled(_ command: String, path: String) -> Bool {
    path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(command)") }
  }

  /// Whether a command runs and ends well; what it says is thrown away.
  package static func succeeds(_ command: String, _ arguments: [String]) -> Bool {
    ToolProcess.output(of: command, arguments, seconds: 60) != nil
  }
}
