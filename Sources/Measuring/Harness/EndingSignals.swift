import Foundation

/// The signals by which a user ends a command: Ctrl-C, `kill`, a terminal that is closed.
public enum EndingSignals {
  /// `SIGINT`, `SIGTERM` and `SIGHUP`.
  public static let all = [SIGINT, SIGTERM, SIGHUP]

  /// Leaves them to the parent, whose end a worker sees by its standard input.
  ///
  /// They reach the whole group of processes at once: a worker that followed them would be a contender that died.
  public static func leaveToParent() {
    for number in all { signal(number, SIG_IGN) }
  }
}
