import Results

extension CheckReport {
  /// Workflow commands of GitHub Actions, a line each: an error for each row that regressed or failed, and one warning for
  /// all that were not decided.
  public var annotations: String {
    var lines = rows.compactMap { row -> String? in
      switch row.state {
      case .regressed: Self.line("error", row.name + ": " + row.change)
      case .failed: Self.line("error", row.name + ": " + (row.reason ?? "failed"))
      case .improved, .inconclusive, .unchanged: nil
      }
    }
    let undecided = rows(.inconclusive)
    if !undecided.isEmpty {
      let reasons = undecided.map(\.reason).unique().map { reason in
        Self.reason(reason, of: undecided.filter { $0.reason == reason })
      }
      lines.append(
        Self.line("warning", (["\(undecided.count) not decided:"] + reasons).joined(separator: "\n")))
    }
    lines.append(Self.line(verdict == .passed ? "notice" : "warning", headline))
    return lines.map { $0 + "\n" }.joined()
  }

  /// How many rows a reason names; of a hundred the first few say what they are about.
  private static let mostNames = 3

  /// Such as `2 (s-1 a, s-2 a): too noisy`.
  private static func reason(_ reason: String?, of rows: [CheckRow]) -> String {
    let named = rows.prefix(mostNames).map(\.name).joined(separator: "; ")
    let others = rows.count > mostNames ? "; and \(rows.count - mostNames) more" : ""
    return "\(rows.count) (\(named)\(others)): \(reason ?? "the interval of the change is too wide to tell")"
  }

  private static func line(_ command: String, _ message: String) -> String {
    // As the workflow commands' own toolkit escapes data.
    let escaped = message.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing(
      "\n", with: "%0A")
    return "::\(command) title=bench check::\(escaped)"
  }
}
