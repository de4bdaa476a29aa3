import CProbes
import Foundation
import Results

/// What this machine permits and has installed, found out by trying.
public enum Permissions {
  /// Tries what a measurement would need, by short processes of its own.
  ///
  /// - Parameters:
  ///   - record: where the answers are written.
  ///   - commands: whose presence in `PATH` matters.
  public static func record(into record: inout MachineRecord, commands: [String]) {
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

  /// Whether an executable of that name lies in one of the folders of a path.
  static func isInstalled(_ command: String, path: String) -> Bool {
    path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(command)") }
  }

  /// Whether a command runs and ends well; what it says is thrown away.
  public static func succeeds(_ command: String, _ arguments: [String]) -> Bool {
    ToolProcess.output(of: command, arguments, seconds: 60) != nil
  }
}
