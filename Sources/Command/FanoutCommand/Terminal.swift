import Foundation
import Harness
import RawThreads
import Results
import Verdicts

/// Prints results to standard output, and all other text to standard error.
enum Terminal {
  static let isOutputTerminal = isatty(STDOUT_FILENO) == 1
  static let isErrorTerminal = isatty(STDERR_FILENO) == 1

  static var wantsColour: Bool { isOutputTerminal && permitsColour(ProcessInfo.processInfo.environment) }

  /// - Parameter environment: the process's environment, with `NO_COLOR` (no-color.org) and `TERM`.
  static func permitsColour(_ environment: [String: String]) -> Bool {
    environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  static var tableWidth: Int { isOutputTerminal ? width(of: STDOUT_FILENO) : TextWrap.width }

  static var errorWidth: Int {
    isErrorTerminal ? max(min(width(of: STDERR_FILENO), TextWrap.width), TextWrap.least) : TextWrap.width
  }

  /// The terminal's number of columns, or 80 if it reports none, as under `docker exec -t`.
  private static func width(of terminal: Int32) -> Int {
    var size = winsize()
    guard ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return TextWrap.width }
    return Int(size.ws_col)
  }

  /// Prints an error on one line of any length, and advice on the next. Control characters are escaped.
  static func complain(_ message: String, advice: String? = nil) {
    draw("\(CommandName.current): \(SafeText.visible(message))\n\(advice.map { $0 + "\n" } ?? "")")
  }

  static func progress(_ text: String, isQuiet: Bool) { if !isQuiet { draw(progressLines(text) + "\n") } }

  static func remark(_ text: String) { draw(progressLines(text) + "\n") }

  static func progressLines(_ text: String, width: Int = errorWidth) -> String {
    TextWrap.lines("\(CommandName.current): \(SafeText.visible(text))", indent: 2, width: width)
      .joined(separator: "\n")
  }

  /// Prints a text unchanged, so text from files and users must be escaped before. Ignores errors, because standard error may be closed.
  static func draw(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

  /// Prints to standard output. Ends the process, with `remains` in the message, if writing fails for another reason than a closed pipe.
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

/// Shows a run's progress on standard error: on a terminal as a bar, elsewhere as lines.
final class ProgressBar {
  private let isTerminal = Terminal.isErrorTerminal
  private let stopwatch = Stopwatch()
  private var lastShown = -Double.infinity
  private var lastTenth = -1

  func show(_ progress: RunProgress) {
    if isTerminal {
      guard stopwatch.seconds - lastShown > 0.1 else { return }
      lastShown = stopwatch.seconds
      Terminal.draw(
        "\r\u{1B}[K"
          + Self.line(
            progress, elapsedSeconds: lastShown, showsBar: true, width: Terminal.errorWidth - 1))
    } else if Int(progress.fraction * 10) > lastTenth {
      lastTenth = Int(progress.fraction * 10)
      Terminal.draw(
        Self.line(progress, elapsedSeconds: stopwatch.seconds, showsBar: false) + "\n")
    }
  }

  func clear() {
    if isTerminal { Terminal.draw("\r\u{1B}[K") }
  }

  /// - Parameter width: the terminal's width minus 1, because a character in the last column would start a new line.
  static func line(
    _ progress: RunProgress, elapsedSeconds: Double, showsBar: Bool, width: Int = TextWrap.width - 1
  ) -> String {
    // The bar shows 100 % only at the end.
    let fraction = min(progress.fraction, 0.99)
    let filled = Int(fraction * 20)
    let bar =
      showsBar
      ? String(repeating: "█", count: filled) + String(repeating: "░", count: 20 - filled)
      : "\(CommandName.current):"
    let left =
      switch progress.fraction {
      case ...0.02: "estimating"
      case ..<0.995: "\(Int((elapsedSeconds / fraction - elapsedSeconds).rounded(.up))) s left"
      default: "finishing"
      }
    let head = "\(bar) \(Int(fraction * 100)) % · \(left) · \(progress.samples) \(progress.unit) · "
    let phase = progress.phase.map { $0 + " of " } ?? ""
    return String((head + phase + SafeText.visible(progress.scenario)).prefix(width))
  }
}

struct Stopwatch {
  private let start = MonotonicClock.nanoseconds()

  var nanoseconds: UInt64 { MonotonicClock.nanoseconds() - start }
  var seconds: Double { Double(nanoseconds) / 1e9 }
}
