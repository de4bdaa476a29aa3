import Foundation
import Harness
import Results
import Verdicts

/// Redraws a run's tables on the terminal while it is measured, between two samples: nobody is timed meanwhile.
final class Watch {
  private let run: String
  private let options: AnalysisOptions
  private let screen = WatchScreen()
  private let stopwatch = Stopwatch()
  private var pace = WatchPace()
  private var headline: [String] = []
  private var tables: [[String]] = []

  /// With the options of the report in the end.
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

/// What fits the terminal of a headline and tables: a page of whole tables, or the beginning of one that is too tall.
struct WatchFrame {
  let headline: [String]
  let tables: [[String]]

  /// At most `height` lines of at most `columns` columns. Past the last page they begin again.
  func lines(columns: Int, height: Int, page: Int) -> [String] {
    let pages = pages(height: height - headline.count - 1)
    var lines = headline
    if !pages.isEmpty {
      let shown = page % pages.count
      lines += pages[shown]
      if pages.count > 1 {
        lines.append("page \(shown + 1) of \(pages.count); at the end there are all of them")
      }
    }
    return lines.prefix(height).map { Self.cut($0, columns) }
  }

  /// Tables one after another, each after an empty line.
  private func pages(height: Int) -> [[String]] {
    var pages: [[String]] = []
    for table in tables {
      let block = [""] + table
      if let last = pages.last, last.count + block.count <= height {
        pages[pages.count - 1] += block
      } else {
        pages.append(Array(block.prefix(max(height, 0))))
      }
    }
    return pages
  }

  /// The line without what is beyond the last column. Escapes take no column, and those of the cut part stay.
  static func cut(_ line: String, _ columns: Int) -> String {
    var (kept, column, isEscape) = ("", 0, false)
    for character in line {
      if character == "\u{1B}" { isEscape = true }
      if isEscape {
        kept.append(character)
        if character.isLetter { isEscape = false }
      } else if column < columns {
        kept.append(character)
        column += 1
      }
    }
    return kept
  }
}

/// When what is watched is analysed and drawn anew, in seconds since the start.
struct WatchPace {
  /// Faster than this nobody reads.
  private static let betweenDrawings = 0.1
  private static let betweenAnalyses = 0.5
  /// How long a page stands that is not the only one.
  private static let perPage = 5.0
  /// An analysis takes time that the run's budget counts, so all of them together have at most so much of it.
  private static let share = 0.05

  private var lastDrawing = -Double.infinity
  private var nextAnalysis = 0.0

  mutating func isDrawingDue(at seconds: Double) -> Bool {
    guard seconds - lastDrawing >= Self.betweenDrawings else { return false }
    lastDrawing = seconds
    return true
  }

  func isAnalysisDue(at seconds: Double) -> Bool { seconds >= nextAnalysis }

  mutating func analysed(from begin: Double, to end: Double) {
    nextAnalysis = end + max(Self.betweenAnalyses, (end - begin) / Self.share)
  }

  /// Which page is shown, from 0 on and without end.
  func page(at seconds: Double) -> Int { Int(seconds / Self.perPage) }
}

/// Lines at the bottom of the terminal that are drawn over, without a moment in which they are not there.
///
/// It changes no state of the terminal, so whatever ends the process leaves it usable; and what stood above stays.
final class WatchScreen {
  private var drawn: (lines: Int, columns: Int, height: Int)?

  func draw(_ lines: [String], columns: Int, height: Int) {
    let isSameSize = drawn.map { $0.columns == columns && $0.height == height } ?? true
    // A terminal of another size has moved everything elsewhere.
    let start = isSameSize ? Self.toTop(of: drawn?.lines ?? 0) : "\u{1B}[H\u{1B}[2J"
    write(start + Self.over(lines))
    drawn = (lines.count, columns, height)
  }

  func clear() {
    guard let drawn else { return }
    write(Self.toTop(of: drawn.lines) + "\u{1B}[J")
    self.drawn = nil
  }

  /// Moves from the last of so many lines to the start of the first.
  static func toTop(of lines: Int) -> String { lines > 1 ? "\r\u{1B}[\(lines - 1)A" : "\r" }

  /// Each line with nothing behind it, and nothing below the last.
  static func over(_ lines: [String]) -> String {
    lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n") + "\u{1B}[J"
  }

  /// At once, so that nobody sees a half of it. Nobody to see it is no reason to stop.
  private func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
}
