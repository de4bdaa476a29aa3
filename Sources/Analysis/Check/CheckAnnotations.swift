/// Workflow commands of GitHub Actions, a line each: errors for what regressed or failed, warnings for what was not decided.
public enum CheckAnnotations {
  public static func text(_ report: CheckReport) -> String {
    var lines = report.rows.compactMap { row -> String? in
      switch row.state {
      case .regressed: line("error", "\(row.name): \(row.change)")
      case .failed: line("error", "\(row.name): \(row.reason ?? "failed")")
      case .inconclusive: line("warning", "\(row.name): \(row.reason ?? "not decided")")
      case .improved, .ungated, .unchanged: nil
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
