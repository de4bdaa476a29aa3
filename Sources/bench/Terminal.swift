import Foundation

/// Standard output is for data, standard error for everything else.
enum Terminal {
  static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
  static let isErrorTerminal = isatty(STDERR_FILENO) == 1

  /// Colour on a terminal, unless the user has said no (no-color.org).
  static var wantsColour: Bool {
    isOutputTerminal && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
  }

  static func complain(_ message: String) { note("bench: \(message)\n") }

  static func note(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

  static func print(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
