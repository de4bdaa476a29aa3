/// Workflow commands of GitHub Actions, a line each: errors for what regressed or failed, warnings for what was not decided.
public enum CheckAnnotations {
  public static func text(_ report: CheckReport) -> String {
    var lines = report.cells.compactMap { cell -> String? in
      switch cell.state {
      case .regressed: line("error", "\(CheckTextReport.name(cell)): \(CheckTextReport.change(cell.last))")
      case .failed: line("error", "\(CheckTextReport.name(cell)): \(cell.first.failure ?? "failed")")
      case .inconclusive: line("warning", "\(CheckTextReport.name(cell)): not decided")
      case .improved, .unchanged: nil
      }
    }
    lines.append(line(report.verdict == .passed ? "notice" : "warning", report.headline))
    return lines.map { $0 + "\n" }.joined()
  }

  private static func line(_ command: String, _ message: String) -> String {
    // As the workflow commands' own toolkit escapes data.
    let escaped = message.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing(
      "\n", with: "%0A")
    return "::\(command) title=bench check::\(escaped)"
  }
}
