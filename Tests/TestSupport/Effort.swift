import Foundation

/// How much the tests do: as a rule what whoever changed a line can wait for; with FANOUT_THOROUGH=1, which
/// `Scripts/check --thorough` sets, all of it.
package enum Effort {
  package static let isThorough = ProcessInfo.processInfo.environment["FANOUT_THOROUGH"] == "1"

  /// How many rounds, elements or schedules.
  package static func count(_ few: Int, thorough: Int) -> Int { isThorough ? thorough : few }
}

private let environment = ProcessInfo.processInfo.environment

/// Thread Sanitizer keeps a stack of its own for each thread, with room for 65 536 calls within calls; `Scripts/sanitize` says
/// that it watches.
package let isUnderThreadSanitizer = environment["TSAN_OPTIONS"] != nil

/// Either sanitizer needs memory of its own for whatever the process has.
package let isUnderSanitizer = isUnderThreadSanitizer || environment["ASAN_OPTIONS"] != nil

/// Rounds of random operations, each from a seed of its own.
///
/// As a rule a soak is a short pass: a fixed number of rounds from a fixed seed. `FANOUT_SOAK_SECONDS=60` lets each go on
/// for a minute, from a seed that differs each time; `FANOUT_SOAK_SEED=17` begins with that seed, which is how a round
/// that failed is repeated.
package struct Soak: Sendable {
  private let name: String
  private let shortRounds: Int
  private let operations = Counter()

  package init(_ name: String, shortRounds: Int) {
    self.name = name
    self.shortRounds = shortRounds
  }

  /// What has been done, for the line that a long soak ends with.
  package func count(_ operations: Int) { self.operations.add(operations) }

  /// Between two looks at whether all is done. Asleep, unlike awake, a thread does not keep Dispatch from starting another.
  package static func pause() { usleep(50) }

  /// - Parameter round: does it all, and returns what was wrong, if something was.
  /// - Returns: what was wrong, and how to repeat it; nil if nothing was.
  package func run(_ round: (_ seed: UInt64) throws -> String?) rethrows -> String? {
    var seed = Self.chosenSeed ?? (Self.seconds == nil ? 1 : UInt64.random(in: 1..<1 << 32))
    let start = ContinuousClock.now
    if Self.seconds != nil { say("begins with seed \(seed)") }
    var rounds = 0
    while Self.seconds.map({ ContinuousClock.now - start < $0 }) ?? (rounds < shortRounds) {
      if let problem = try round(seed) {
        return "\(name): \(problem); repeat with FANOUT_SOAK_SEED=\(seed)"
      }
      seed &+= 1
      rounds += 1
    }
    if Self.seconds != nil { say("\(operations.current) operations in \(rounds) rounds, nothing wrong") }
    return nil
  }

  private func say(_ text: String) {
    FileHandle.standardError.write(Data("soak \(name): \(text)\n".utf8))
  }

  /// How long each soak shall go on, if not for a short pass.
  static let seconds = number("FANOUT_SOAK_SECONDS").map { Duration.seconds(Int($0)) }
  private static let chosenSeed = number("FANOUT_SOAK_SEED")

  private static func number(_ variable: String) -> UInt64? {
    guard let text = ProcessInfo.processInfo.environment[variable] else { return nil }
    guard let number = UInt64(text), number < 1 << 62 else {
      fatalError("\(variable) is \"\(text)\", which is no whole number: set it as in \(variable)=60")
    }
    return number
  }
}
