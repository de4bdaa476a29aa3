import Foundation
import Harness
import RawThreads
import Synchronization

/// The first Ctrl-C or SIGTERM ends a run and keeps its samples. The second cleans up and ends the process, the third ends it at once.
enum Interruption {
  /// The number of the first signal, or 0 if there was none.
  private static let received = Atomic<Int32>(0)
  private static let receivedNanoseconds = Atomic<UInt64>(0)
  private static let count = Atomic<Int>(0)
  /// The two ends of a pipe. A byte in it wakes the thread that cleans up after the second signal. -1 without a pipe.
  private static let (wakes, wakesUp) = pipe()

  /// Signals within this time count as one, because shells and `timeout` signal first the process and then its process group.
  static let repeatNanoseconds: UInt64 = 500_000_000

  private static let janitor = RawThread(name: "janitor") {
    var byte: UInt8 = 0
    while read(wakes, &byte, 1) < 0, errno == EINTR {}
    guard isRequested else { return }
    TemporaryFolder.removeAll()
    _exit(128 + received.load(ordering: .relaxed))
  }

  static func listen() {
    // A signal handler must not be the first to access a static property, because its initialisation is not safe there.
    _ = (isRequested, receivedNanoseconds.load(ordering: .relaxed), count.load(ordering: .relaxed), wakes)
    _ = janitor
    // Under `nohup`, SIGHUP stays ignored.
    for number in EndingSignals.all where number != SIGHUP || !isIgnored(number) {
      signal(number) { Interruption.hear($0) }
    }
  }

  /// The signal handler. It may use only atomic operations, clock_gettime, write and _exit.
  private static func hear(_ number: Int32) {
    let now = MonotonicClock.nanoseconds()
    let first = receivedNanoseconds.compareExchange(expected: 0, desired: now, ordering: .relaxed)
    if received.compareExchange(expected: 0, desired: number, ordering: .relaxed).exchanged { return }
    guard isAnother(now, after: first.original) else { return }
    let earlier = count.add(1, ordering: .relaxed).oldValue
    if earlier > 0 || write(wakesUp, "!", 1) != 1 { _exit(128 + number) }
  }

  /// Whether a signal is the user's second one, and not the first one delivered twice.
  static func isAnother(_ nanoseconds: UInt64, after first: UInt64) -> Bool {
    nanoseconds >= first && nanoseconds - first >= repeatNanoseconds
  }

  static var isRequested: Bool { received.load(ordering: .relaxed) != 0 }

  /// The exit code of the first signal, or `nil` if there was none.
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

struct Interrupted: CommandError {
  let description: String
  var exitCode: ExitCode { Interruption.exitCode ?? .interrupted }

  /// - Parameter outcome: what happened to the work so far. It follows `interrupted; `.
  init(_ outcome: String = "nothing was compared") { description = "interrupted; \(outcome)" }
}
