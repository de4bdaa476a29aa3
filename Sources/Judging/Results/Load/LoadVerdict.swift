/// What a window of load says of a contender, or all windows of one rate together.
public enum LoadVerdict: String, Sendable, Hashable, CaseIterable, Codable {
  /// The posts were done as fast as they came, and in the time that was asked for, if one was.
  case held
  /// They were, but took longer than was asked for.
  case missed
  /// They came faster than they were done.
  case saturated
  /// Missed or saturated, but the harness itself started posts too late to say so.
  case generatorLate = "generator_late"
  /// Missed or saturated, but others had the processors.
  case machineLimit = "machine_limit"
}

extension LoadVerdict: CSVField {}
