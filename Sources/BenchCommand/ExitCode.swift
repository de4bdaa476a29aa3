/// The exit codes that scripts rely on.
enum ExitCode: Int32 {
  case fine = 0
  case usage = 1
  /// Something costs more than it did.
  case regression = 2
  /// A contender failed, hung or was wrong.
  case contenderFailed = 3
  /// There is nothing to compare with.
  case noBaseline = 5
  case cannotReadOrWrite = 6
  /// There was not enough to decide on.
  case inconclusive = 7
  /// SIGHUP, a closed terminal, as shells report it.
  case hungUp = 129
  /// Ctrl-C, as shells report it.
  case interrupted = 130
  /// SIGTERM, as shells report it.
  case terminated = 143
}
