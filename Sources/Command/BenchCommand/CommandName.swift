import Foundation

/// What the user calls the command: the name of its executable.
enum CommandName {
  static let current = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent

  /// How to start it once more: from a package by building it, from anywhere else as it was started.
  static var invocation: String {
    invocation(
      from: CommandLine.arguments[0],
      isInPackage: FileManager.default.fileExists(atPath: "Package.swift"))
  }

  static func invocation(from executable: String, isInPackage: Bool) -> String {
    isInPackage
      ? "swift run -c release \(URL(fileURLWithPath: executable).lastPathComponent)" : executable
  }
}
