import Foundation
import Harness

/// How far a load run has come, on standard error.
final class LoadProgress {
  private let isQuiet: Bool
  private let bar = ProgressBar()
  private let stopwatch = Stopwatch()
  private let total: Int?
  /// Of a search, at most.
  private let seconds: Double

  /// - Parameter total: how many windows there will be; nil: it is not known.
  init(_ options: LoadOptions, total: Int?) {
    isQuiet = options.recording.isQuiet
    self.total = total
    seconds =
      Double(options.durationNanoseconds) / 1e9
      * Double(options.participants.values.reduce(0) { $0 + $1.count })
  }

  func show(_ cell: LoadCell, _ offer: LoadOffer, windows: Int) {
    if isQuiet { return }
    let fraction =
      total.map { Double(windows) / Double($0) } ?? min(1, stopwatch.seconds / seconds)
    bar.show(
      RunProgress(
        generation: 0, generations: 1, round: 0,
        scenario: String(
          format: offer.postsPerSecond < 100 ? "%@ at %.3g/s" : "%@ at %.0f/s", cell.contender,
          offer.postsPerSecond), samples: windows,
        unit: "windows", fraction: fraction))
  }

  func clear() {
    if !isQuiet { bar.clear() }
  }
}
