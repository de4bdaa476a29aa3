/// What can go wrong with a recorded run: what happened, where, and what to do about it.
public enum ResultsError: Error, Equatable {
  /// The system refused to write; `reason` is its own text.
  case cannotWrite(path: String, reason: String)
  /// The system refused to read; `reason` is its own text.
  case cannotRead(path: String, reason: String)
  /// A run of that name was recorded before.
  case runExists(path: String)
  /// There is no recorded run at the path.
  case noRun(path: String)
  /// A file does not hold what its name promises. `column` is nil where the whole line is meant.
  case malformed(path: String, line: Int, column: String?, problem: String, advice: String)
  /// A value that must not be written.
  case refused(column: String, problem: String)
}

extension ResultsError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .cannotWrite(let path, let reason):
      "cannot write \(path): \(reason). Choose another place with --output, or make room there."
    case .cannotRead(let path, let reason):
      "cannot read \(path): \(reason). Check the path and its permissions."
    case .runExists(let path):
      "\(path) exists already and is not overwritten. Choose another --name, or remove it."
    case .noRun(let path):
      "\(path) holds no recorded run (no \(RunDirectory.samplesName) there). Give a folder that `bench run` wrote, such as results/latest."
    case .malformed(let path, let line, let column, let problem, let advice):
      "\(path):\(line): \(column.map { "column \($0) " } ?? "")\(problem). \(advice)"
    case .refused(let column, let problem):
      "not recorded: \(column) \(problem)."
    }
  }
}
