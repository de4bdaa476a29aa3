import Verdicts
import Foundation
import Harness
import Results

/// Redraws a run's tables on the terminal while it is measured, between two samples: nobody is timed meanwhile.
final class Watch {
  private let run: String
  private let options: AnalysisOptions
  private let screen = WatchScreen()
  private let stopwatch = Stopwatch()
  private var pace = WatchPace()
  private var headline: [String] = []
  private var tables: [[String]] = []

  /// - Parameter options: those of the report in the end.
  init(run: String, _ options: AnalysisOptions) {
    self.run = run
    var options = options
    // What has not come yet is not missing, and who is first is for the end: that takes longest.
    (options.plannedCells, options.rankResamples) = ([], 0)
    self.options = options
  }

  func show(_ progress: RunProgress, _ samples: [Sample]) {
    let elapsed = stopwatch.seconds
    guard let size = Terminal.size, pace.isDrawingDue(at: elapsed) else { return }
    if pace.isAnalysisDue(at: elapsed) {
      analyse(samples, columns: size.columns)
      pace.analysed(from: elapsed, to: stopwatch.seconds)
    }
    let bar = ProgressBar.line(progress, elapsedSeconds: elapsed, showsBar: true)
    let warning = Environment.isReleaseBuild ? [] : ["WARNING: \(ReportNotes.debugBuild)"]
    screen.draw(
      WatchFrame(headline: [bar] + warning + [""] + headline, tables: tables)
        .lines(columns: size.columns, height: size.lines, page: pace.page(at: elapsed)),
      columns: size.columns, height: size.lines)
  }

  /// Takes everything off the screen again.
  func clear() { screen.clear() }

  private func analyse(_ samples: [Sample], columns: Int) {
    // Of a cell that is still warming up there is nothing to tell.
    let told = samples.filter { $0.dropped != .warmUp || $0.outcome != .measured }
    guard !told.isEmpty else { return }
    let analysis = RunAnalysis(run: run, samples: told, options: options)
    let layout = TextLayout(usesColour: Terminal.wantsColour, width: max(columns, TextWrap.width))
    let summary = analysis.summary
    headline = layout.blocks(summary.headline).flatMap(\.self)
    tables = layout.blocks(summary.tables)
  }
}

extension Watch {
  static func check(_ format: ReportFormat, isQuiet: Bool) throws {
    if isQuiet { throw UsageError("--watch and --quiet exclude each other.") }
    if format.name != "table" { throw UsageError("--watch draws tables: leave out --format.") }
  }

  /// Nothing can be drawn again in a pipe or a file, nor where the cursor cannot be moved.
  static func checkTerminal() throws {
    let isDumb = ProcessInfo.processInfo.environment["TERM", default: "dumb"] == "dumb"
    guard Terminal.size == nil || isDumb else { return }
    throw UsageError(
      "--watch needs a terminal on standard output, and there is none. Leave it out: the tables come in the end."
    )
  }
}
