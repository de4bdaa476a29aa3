import Foundation

/// What the user calls the command: the name of its executable.
enum CommandName {
  static let current = URL(fileURLWithPath: CommandLine.arguments[0]).lastPathComponent
}
