/// What a shell offers where a value goes.
enum Offer: Hashable {
  case nothing
  case words([String])
  case contenders, patterns, scenarios, services, operations
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
      case (_, "DIR"): .folders
      case (_, "FILE"), (_, "BUILD"): .files
      case (_, let value?) where value.contains("|"): .words(value.split(separator: "|").map(String.init))
      default: .nothing
      }
  }

  /// What the help calls an operand says, too: runs are folders.
  init(operand name: String) {
    self = name.contains("|") ? Offer(option: "", value: name) : .folders
  }
}

extension Option {
  /// Whether several values may stand there between commas.
  var isList: Bool { value?.contains(",") ?? false }
}
