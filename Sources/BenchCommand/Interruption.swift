import Foundation
import Synchronization

/// Ctrl-C and SIGTERM end the run in order: what was measured is kept. A second one ends the process at once.
enum Interruption {
  private static let received = Atomic<Int32>(0)

  static func listen() {
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        // Only what a signal handler may do: an atomic operation and _exit.
        if Interruption.received.exchange(number, ordering: .relaxed) != 0 { _exit(128 + number) }
      }
    }
  }

  static var isRequested: Bool { received.load(ordering: .relaxed) != 0 }

  /// The exit code that the signal asks for; nil if none came.
  static var exitCode: ExitCode? { ExitCode(rawValue: 128 + received.load(ordering: .relaxed)) }
}

/// The user ended it.
struct Interrupted: Error, CustomStringConvertible {
  /// What has become of what was begun.
  let outcome: String

  init(_ outcome: String = "nothing was compared") { self.outcome = outcome }

  var description: String { "interrupted; \(outcome)" }
}
