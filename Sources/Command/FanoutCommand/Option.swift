struct Option: Sendable {
  let name: String
  /// How its value is called in the help; nil for a switch.
  let value: String?
  let summary: String
  /// What the value is if it is left out; nil: it must not be.
  let usually: String?
  /// What a shell offers for its value.
  let offer: Offer
  /// The heading under which the help has it.
  fileprivate(set) var group = "options"

  /// As it is given, such as `--budget TIME` or `--counters [FILE]`.
  var usage: String {
    guard let value else { return name }
    return "\(name) \(usually == nil ? value : "[\(value)]")"
  }

  /// Whether several values may stand there between commas.
  var isList: Bool { value?.contains(",") ?? false }

  /// - Parameter words: all that the value may be, or what stands between its commas; of no words, what name and value
  ///   of the option say.
  init(
    _ name: String, _ value: String? = nil, _ summary: String, usually: String? = nil, words: [String] = []
  ) {
    self.name = name
    self.value = value
    offer = words.isEmpty ? Offer(option: name, value: value) : .words(words)
    self.summary = summary + (usually.map { " (\($0))" } ?? "")
    self.usually = usually
  }
}

extension [Option] {
  /// The same under a heading of the help.
  func titled(_ group: String) -> [Option] {
    map { option in
      var option = option
      option.group = group
      return option
    }
  }
}

/// What a shell offers where a value goes.
enum Offer: Hashable, Sendable {
  case nothing
  case words([String])
  case contenders, patterns, scenarios, services, operations, benchmarks
  case files, folders

  /// What the name of an option, or how the help calls its value, says already.
  init(option name: String, value: String?) {
    self =
      switch (name, value) {
      case ("--contenders", _), ("--reference", _), ("--plant-in", _): .contenders
      case ("--patterns", _): .patterns
      case ("--scenario", _): .scenarios
      case ("--service", _): .services
      case ("--operations", _): .operations
      case ("--benchmarks", _): .benchmarks
      case (_, "DIR"): .folders
      case (_, "FILE"), (_, "BUILD"): .files
      case (_, let value?) where value.contains("|"): .words(value.split(separator: "|").map(String.init))
      default: .nothing
      }
  }

  /// What the help calls an operand says, too: runs are folders.
  init(operand name: String) {
    self =
      switch name {
      case HelpCommand.operand: .words(Subcommand.shown.map(\.rawValue))
      case _ where name.contains("|"): Offer(option: "", value: name)
      default: .folders
      }
  }
}
