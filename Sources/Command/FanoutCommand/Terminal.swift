import Verdicts
import Foundation
import Results

/// Standard output is for data, standard error for everything else.
enum Terminal {
  static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
  static let isErrorTerminal = isatty(STDERR_FILENO) == 1

  /// Colour on a terminal that has any, unless the user has said no.
  static var wantsColour: Bool {
    isOutputTerminal && permitsColour(ProcessInfo.processInfo.environment)
  }

  /// - Parameter environment: of the process: `NO_COLOR` (no-color.org), `TERM`.
  static func permitsColour(_ environment: [String: String]) -> Bool {
    environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  /// Columns and lines of the terminal on standard output; nil if it is none.
  static var size: (columns: Int, lines: Int)? {
    var size = winsize()
    guard isOutputTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    return self.size(columns: Int(size.ws_col), lines: Int(size.ws_row))
  }

  /// A terminal that does not say how large it is, as under `docker exec -t`, is taken for the smallest usual one.
  static func size(columns: Int, lines: Int) -> (columns: Int, lines: Int) {
    (columns > 0 ? columns : TextWrap.width, lines > 0 ? lines : 24)
  }

  /// Columns that a table may take: 80, and on a wider terminal more, for its bars.
  static var tableWidth: Int { max(size?.columns ?? TextWrap.width, TextWrap.width) }

  /// What is wrong, in one line, whatever names of files and contenders are in it; advice has a line of its own.
  static func complain(_ message: String, advice: String? = nil) {
    draw("\(CommandName.current): \(SafeText.visible(message))\n\(advice.map { $0 + "\n" } ?? "")")
  }

  /// What is being done, unless the user wants none of it.
  static func progress(_ text: String, isQuiet: Bool) {
    if !isQuiet { draw(progressLines(text) + "\n") }
  }

  /// Something to know that is no error.
  static func remark(_ text: String) { draw(progressLines(text) + "\n") }

  /// The same without the command's name, on one line of any length.
  static func note(_ text: String) { draw(SafeText.visible(text) + "\n") }

  /// At most 80 columns wide.
  static func progressLines(_ text: String) -> String {
    TextWrap.lines("\(CommandName.current): \(SafeText.visible(text))", indent: 2).joined(separator: "\n")
  }

  /// Text as it is, with what steers the terminal: nothing that was read or given may be in it unseen. Nobody to tell is no
  /// reason to stop.
  static func draw(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

  /// Ends the process if the data cannot be written, or if the terminal has been closed. A reader that has had enough, as
  /// `head` has, is none the worse for it: the exit code stays what it would be. `remains` says what is left all the same.
  static func print(_ text: String, remains: String? = nil) {
    do {
      try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    } catch {
      let error = errno
      if error == EPIPE, Interruption.exitCode == nil { return }
      TemporaryFolder.removeAll()
      if let code = Interruption.exitCode { exit(code.rawValue) }
      complain(
        "cannot write to standard output: \(String(cString: strerror(error))).\(remains.map { " " + $0 } ?? "")"
      )
      exit(ExitCode.cannotReadOrWrite.rawValue)
    }
  }
}
