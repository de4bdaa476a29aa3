/// The exit codes that scripts rely on.
enum ExitCode: Int32, CaseIterable {
  case fine = 0
  case usage = 1
  case regression = 2
  case contenderFailed = 3
  case noBaseline = 5
  case cannotReadOrWrite = 6
  case inconclusive = 7
  case hungUp = 129
  case interrupted = 130
  case terminated = 143

  /// As the help and the manual have it.
  var meaning: String {
    switch self {
    case .fine: "fine, equal or improved"
    case .usage: "usage or internal error"
    case .regression: "regression: something costs more than it did"
    case .contenderFailed: "a contender failed, hung or was wrong"
    case .noBaseline: "nothing to compare with"
    case .cannotReadOrWrite: "a file cannot be read or written"
    case .inconclusive: "inconclusive: there was not enough to decide on"
    case .hungUp: "ended by SIGHUP, a closed terminal"
    case .interrupted: "interrupted by Ctrl-C; what was measured is kept"
    case .terminated: "ended by SIGTERM; what was measured is kept"
    }
  }
}
