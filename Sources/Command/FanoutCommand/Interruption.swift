import Foundation
import Harness
import RawThreads
import Synchronization

/// Ctrl-C, SIGTERM and a closed terminal end the run in order: what was measured is kept. A second signal ends the process
/// as soon as its temporary folders are gone, and a third at once.
enum Interruption {
  /// The first of them; 0: none.
  private static let received = Atomic<Int32>(0)
  private static let receivedNanoseconds = Atomic<UInt64>(0)
  private static let count = Atomic<Int>(0)
  /// Both ends of a pipe that wakes who removes what is temporary; -1: there is none.
  private static let (wakes, wakesUp) = pipe()

  /// Shells and `timeout` send the same signal twice, to the process and to its group.
  static let patienceNanoseconds: UInt64 = 500_000_000

  private static let janitor = RawThread(name: "janitor") {
    var byte: UInt8 = 0
    while read(wakes, &byte, 1) < 0, errno == EINTR {}
    guard isRequested else { return }
    TemporaryFolder.removeAll()
    _exit(128 + received.load(ordering: .relaxed))
  }

  static func listen() {
    // Now: a signal handler must initialise nothing.
    _ = (isRequested, receivedNanoseconds.load(ordering: .relaxed), count.load(ordering: .relaxed), wakes)
    _ = janitor
    // `nohup` has it ignored, and means it.
    for number in EndingSignals.all where number != SIGHUP || !isIgnored(number) {
      signal(number) { Interruption.hear($0) }
    }
  }

  /// Only what a signal handler may do: atomic operations, clock_gettime, write and _exit.
  private static func hear(_ number: Int32) {
    let now = MonotonicClock.nanoseconds()
    let first = receivedNanoseconds.compareExchange(expected: 0, desired: now, ordering: .relaxed)
    if received.compareExchange(expected: 0, desired: number, ordering: .relaxed).exchanged { return }
    guard isAnother(now, after: first.original) else { return }
    let earlier = count.add(1, ordering: .relaxed).oldValue
    if earlier > 0 || write(wakesUp, "!", 1) != 1 { _exit(128 + number) }
  }

  /// Whether a signal means something of its own.
  static func isAnother(_ nanoseconds: UInt64, after first: UInt64) -> Bool {
    nanoseconds >= first && nanoseconds - first >= patienceNanoseconds
  }

  static var isRequested: Bool { received.load(ordering: .relaxed) != 0 }

  /// The exit code that the signal asks for; nil if none came.
  static var exitCode: ExitCode? { ExitCode(rawValue: 128 + received.load(ordering: .relaxed)) }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
      return unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
    #else
      return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    #endif
  }

  private static func pipe() -> (Int32, Int32) {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}

/// The user ended it.
struct Interrupted: CommandError {
  let description: String
  var exitCode: ExitCode { Interruption.exitCode ?? .interrupted }

  /// With what has become of what was begun.
  init(_ outcome: String = "nothing was compared") { description = "interrupted; \(outcome)" }
}
