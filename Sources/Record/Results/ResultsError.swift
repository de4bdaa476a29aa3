import Foundation

/// What failed in a recorded run, where it failed, and what the user can do.
public enum ResultsError: Error, Equatable {
  /// `reason` is the system's text; `option` is the command-line option that sets the path.
  case cannotWrite(path: String, reason: String, option: String = "--output")
  case cannotRead(path: String, reason: String)
  /// A file or folder exists and is not overwritten. `option` is the command-line option that sets its name.
  case exists(path: String, option: String)
  /// The path has no recorded run.
  case noRun(path: String)
  /// The path has a run of `bench load`, which has no samples.
  case loadRun(path: String)
  /// Unexpected content. In JSON, `line` is `nil` and `column` is a key. In CSV, a `nil` `column` means the whole line.
  case malformed(path: String, line: Int?, column: String?, problem: String, advice: String)
  /// A value was not written because it is invalid.
  case refused(column: String, problem: String)
}

extension ResultsError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .cannotWrite(let path, let reason, let option):
      "cannot write \(path): \(reason). Choose another place with \(option), or \(Self.remedy(of: reason))."
    case .cannotRead(let path, let reason):
      "cannot read \(path): \(reason). Check the path and its permissions."
    case .exists(let path, let option) where path.hasSuffix(".partial"):
      "a run of this name is being started, or was killed at its start. Choose another \(option); if none is running now, remove \(path)."
    case .exists(let path, let option):
      "\(path) exists already and is not overwritten. Choose another \(option)\(Self.isDevice(path) ? "" : ", or remove it")."
    case .noRun(let path):
      "\(path) holds no recorded run (no \(RunDirectory.samplesName) there). Give a folder that `bench run` wrote, such as results/latest."
    case .loadRun(let path):
      "\(path) is a run of `bench load`: it has windows of load (\(RunDirectory.loadName)), not samples. Give a folder that `bench run` wrote; `bench report` prints this run's report."
    case .malformed(let path, let line, let column, let problem, let advice):
      "\(path)\(line.map { ":\($0)" } ?? ""): \(column.map { "\(line == nil ? "" : "column ")\($0) " } ?? "")\(problem). \(advice)"
    case .refused(let column, let problem):
      "not recorded: \(column) \(problem)."
    }
  }
}

extension ResultsError {
  public func naming(_ option: String) -> ResultsError {
    switch self {
    case .cannotWrite(let path, let reason, _): .cannotWrite(path: path, reason: reason, option: option)
    case .exists(let path, _): .exists(path: path, option: option)
    case .cannotRead, .noRun, .loadRun, .malformed, .refused: self
    }
  }

  /// Whether the path is a device, such as /dev/null, so that the advice must not be to remove it.
  private static func isDevice(_ path: String) -> Bool {
    var information = stat()
    guard lstat(path, &information) == 0 else { return false }
    return [S_IFCHR, S_IFBLK].contains(information.st_mode & S_IFMT)
  }

  private static func remedy(of reason: String) -> String {
    [ENOSPC, EDQUOT, EFBIG].contains { reason == String(cString: strerror($0)) }
      ? "make room there" : "make this one writable"
  }
}
