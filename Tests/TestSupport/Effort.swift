import Foundation

/// How much the tests do: by default few rounds; with FANOUT_THOROUGH=1, which `Scripts/check --thorough` sets, all.
package enum Effort {
  package static let isThorough = ProcessInfo.processInfo.environment["FANOUT_THOROUGH"] == "1"

  /// The number of rounds, elements or schedules.
  package static func count(_ few: Int, thorough: Int) -> Int { isThorough ? thorough : few }
}

private let environment = ProcessInfo.processInfo.environment

/// Thread Sanitizer keeps its own stack for each thread, with room for 65,536 nested calls. `Scripts/sanitize` sets the
/// variable.
package let isUnderThreadSanitizer = environment["TSAN_OPTIONS"] != nil

/// Either sanitizer needs additional memory for all of the process's.
package let isUnderSanitizer = isUnderThreadSanitizer || environment["ASAN_OPTIONS"] != nil

/// Rounds of random operations, each with its own seed.
///
/// By default a fixed number of rounds from a fixed seed. `FANOUT_SOAK_SECONDS=60` runs each soak for a minute from a random
/// seed; `FANOUT_SOAK_SEED=17` repeats a failed round.
package struct Soak: Sendable {
  private let name: String
  private let shortRounds: Int
  private let operations = Counter()

  package init(_ name: String, shortRounds: Int) {
    self.name = name
    self.shortRounds = shortRounds
  }

  /// Counts operations, for the last line of a long soak.
  package func count(_ operations: Int) { self.operations.add(operations) }

  /// Pauses between two polls. A sleeping thread, unlike a running one, lets Dispatch start another.
  package static func pause() { usleep(50) }

  /// - Parameters:
  ///   - operations: of each round, unless the round counts them.
  ///   - round: runs one round, and returns its problem.
  /// - Returns: the problem and how to repeat it; nil: none.
  package func run(operations: Int = 0, _ round: (_ seed: UInt64) throws -> String?) rethrows -> String? {
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
      count(operations)
    }
    if Self.seconds != nil { say("\(self.operations.current) operations in \(rounds) rounds, nothing wrong") }
    return nil
  }

  private func say(_ text: String) {
    FileHandle.standardError.write(Data("soak \(name): \(text)\n".utf8))
  }

  /// The duration of each soak; nil: a short pass.
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
