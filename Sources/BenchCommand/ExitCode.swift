/// The exit codes that scripts rely on.
enum ExitCode: Int32 {
  case fine = 0
  case usage = 1
  /// A contender failed, hung or was wrong.
  case contenderFailed = 3
  case cannotReadOrWrite = 6
  /// Ctrl-C, as shells report it.
  case interrupted = 130
  /// SIGTERM, as shells report it.
  case terminated = 143
}
