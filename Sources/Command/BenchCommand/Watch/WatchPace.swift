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
