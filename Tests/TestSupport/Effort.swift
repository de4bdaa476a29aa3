import Foundation

/// How much the tests do: as a rule what whoever changed a line can wait for; with FANOUT_THOROUGH=1, which
/// `Scripts/check --thorough` sets, all of it.
package enum Effort {
  package static let isThorough = ProcessInfo.processInfo.environment["FANOUT_THOROUGH"] == "1"

  /// How many rounds, elements or schedules.
  package static func count(_ few: Int, thorough: Int) -> Int { isThorough ? thorough : few }
}
