import CProbes

/// How many threads this process and those that it starts may have: `ulimit -u` says so for a user, `pids.max` for a control
/// group, and what others have counts as well.
public enum ThreadLimit {
  /// Enough for every contender of the catalog at once, and more. With fewer, libdispatch waits for ever for threads that it
  /// cannot start.
  public static let least = 256

  /// How many can be started at once, found out by doing it: ``least`` at most.
  public static var startable: Int { Int(machine_startable_threads(Int32(least))) }
}
