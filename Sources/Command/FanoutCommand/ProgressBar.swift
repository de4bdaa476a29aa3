import Harness
import RawThreads
import Results

/// How far the run has come, on standard error: a bar with the time left on a terminal, plain lines otherwise.
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
        "\r\u{1B}[K" + Self.line(progress, elapsedSeconds: lastShown, showsBar: true))
    } else if Int(progress.fraction * 10) > lastTenth {
      lastTenth = Int(progress.fraction * 10)
      Terminal.draw(
        Self.line(progress, elapsedSeconds: stopwatch.seconds, showsBar: false) + "\n")
    }
  }

  func clear() {
    if isTerminal { Terminal.draw("\r\u{1B}[K") }
  }

  /// At most 79 columns.
  static func line(_ progress: RunProgress, elapsedSeconds: Double, showsBar: Bool) -> String {
    // The end is the end: until then something is left to do.
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
    return String((head + phase + SafeText.visible(progress.scenario)).prefix(79))
  }
}

/// How long something has lasted, whatever becomes of the calendar meanwhile.
struct Stopwatch {
  private let start = MonotonicClock.nanoseconds()

  var nanoseconds: UInt64 { MonotonicClock.nanoseconds() - start }
  var seconds: Double { Double(nanoseconds) / 1e9 }
}
