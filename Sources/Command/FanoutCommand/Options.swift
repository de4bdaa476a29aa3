import Results

struct Options {
  private var values: [String: String] = [:]
  private(set) var operands: [String] = []

  /// Parses `--name value`, `--name=value`, `--switch` and operands. Throws a usage error for anything else.
  ///
  /// - Parameter operands: the names of the required operands, such as `BASE`. A last name that ends in `…` takes one or more.
  init(_ arguments: [String], known: [Option], operands wanted: [String] = []) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        guard operands.count < wanted.count || wanted.last?.hasSuffix("…") == true else {
          throw UsageError(
            wanted.isEmpty
              ? "unexpected “\(argument)”: options begin with --."
              : "unexpected “\(argument)” after \(wanted.joined(separator: " and ")).")
        }
        operands.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      guard let option = known.first(where: { $0.name == parts[0] }) else {
        if parts[0] == "--watch" {
          throw UsageError(
            "--watch was removed: standard error shows progress, and the report comes at the end.")
        }
        throw UsageError.unknown("option", parts[0], among: known.map(\.name))
      }
      if values[option.name] != nil { throw UsageError("\(option.name) is given twice.") }
      if option.value == nil {
        if parts.count == 2 { throw UsageError("\(option.name) takes no value.") }
        values[option.name] = ""
      } else if parts.count == 2 {
        values[option.name] = parts[1]
      } else if let usual = option.usually, rest.first?.hasPrefix("--") ?? true {
        values[option.name] = usual
      } else if let value = rest.popFirst() {
        values[option.name] = value
      } else {
        throw UsageError("\(option.name) needs a value: \(option.name) \(option.value ?? "").")
      }
    }
    if operands.count < wanted.count {
      throw UsageError(Self.missing(wanted[operands.count], of: wanted))
    }
    for option in known where values[option.name] == "" && ["DIR", "FILE"].contains(option.value) {
      throw UsageError("\(option.name) is empty: give a path.")
    }
    if let index = operands.firstIndex(of: ""), let name = wanted[...min(index, wanted.count - 1)].last,
      Offer(operand: name) == .folders
    {
      throw UsageError("\(name) is empty: give a path.")
    }
  }

  private static func missing(_ name: String, of wanted: [String]) -> String {
    let all = wanted.joined(separator: " and ")
    guard Offer(operand: name) == .folders else { return "\(name) is missing: give \(all)." }
    let (what, which) =
      wanted.count == 1 && name == all
      ? ("the folder of a recorded run", "") : (all, ", folders of recorded runs")
    return "\(name) is missing: give \(what)\(which), such as results/latest."
  }

  func has(_ name: String) -> Bool { values[name] != nil }
  func text(_ name: String) -> String? { values[name] }

  func firstGiven(_ names: [String]) -> String? { names.first(where: has) }

  /// The values between commas. A repeated value is an error.
  func list(_ name: String) throws -> [String]? {
    guard let items = values[name]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    else {
      return nil
    }
    if items.contains("") {
      throw UsageError(
        items.allSatisfy(\.isEmpty)
          ? "\(name) is empty: give a value, or leave it out."
          : "\(name) “\(items.joined(separator: ","))” has an empty item: remove the extra comma.")
    }
    var seen: Set<String> = []
    if let twice = items.first(where: { !seen.insert($0).inserted }) {
      throw UsageError("\(name) names “\(twice)” twice.")
    }
    return items
  }

  /// The parsed values between commas. The same value in two spellings is an error.
  func list<Value: Hashable>(_ name: String, _ parse: (String) throws -> Value) throws -> [Value]? {
    var texts: [Value: String] = [:]
    return try list(name)?.map { text in
      let value = try parse(text)
      if let same = texts.updateValue(text, forKey: value) {
        throw UsageError("\(name) names “\(same)” and “\(text)”, which are the same.")
      }
      return value
    }
  }

  func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    try values[name].map { try Self.integer($0, name, in: range) }
  }

  func integers(_ name: String, in range: ClosedRange<Int>) throws -> [Int]? {
    try list(name) { try Self.integer($0, name, in: range) }
  }

  func seed(_ name: String) throws -> UInt64? {
    try read(name, "a whole number from 0 to \(UInt64.max)", UInt64.init)
  }

  func share(_ name: String) throws -> Double? {
    try read(name, "a number from 0 to 1") { text in
      Double(text).flatMap { (0...1).contains($0) ? $0 : nil }
    }
  }

  /// A share given as `5%` or `0.05`.
  func margin(_ name: String) throws -> Double? {
    try read(name, "a share from 0.1% to 100%, such as 3%") { text in
      let share = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
      return share.flatMap { (0.001...1).contains($0) ? $0 : nil }
    }
  }

  /// A time above zero, in nanoseconds. It is given as `500us`, `20ms`, `60s`, `2m`, `1h`, or as `60` for seconds.
  func duration(_ name: String) throws -> UInt64? {
    try time(name, " above zero") { $0 > 0 }.map(UInt64.init)
  }

  /// A time of zero or more, in nanoseconds. Example: `0s`.
  func delay(_ name: String) throws -> Duration? {
    try time(name, " of zero or more") { $0 >= 0 }.map { .nanoseconds($0) }
  }

  /// A time in nanoseconds, at most ten days.
  private func time(_ name: String, _ bound: String, isAllowed: (Double) -> Bool) throws -> Int64? {
    let advice =
      "a time\(bound), such as 500us, 20ms, 30s or 2m (a number alone is seconds), of at most 240h"
    return try read(name, advice) { text in
      let units = [
        ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3_600e9),
        ("", 1e9),
      ]
      guard let unit = units.first(where: { text.hasSuffix($0.0) }),
        let number = Double(text.dropLast(unit.0.count)), abs(number * unit.1) <= 864e12,
        // A positive time of less than a nanosecond would become 0.
        isAllowed(number), isAllowed((number * unit.1).rounded(.towardZero))
      else { return nil }
      return Int64(number * unit.1)
    }
  }

  /// A size in bytes, given as `512`, `64KiB`, `3MiB` or `1GiB`.
  func bytes(_ name: String) throws -> Int? {
    let advice = "a size in B, KiB, MiB or GiB, of at most 1024GiB, such as 512, 64KiB or 3MiB"
    return try read(name, advice) { text in
      let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("B", 1), ("", 1)]
      guard let unit = units.first(where: { text.hasSuffix($0.0) }),
        let number = Int(text.dropLast(unit.0.count)), (0...(1 << 40) / unit.1).contains(number)
      else { return nil }
      return number * unit.1
    }
  }

  /// The value of an option, if it is valid as a name in recorded files. Throws a usage error otherwise.
  func recordName(_ name: String) throws -> String? {
    if let text = values[name] {
      do throws(FieldProblem) { try RecordName.check(text) } catch { throw UsageError("\(name) \(error).") }
    }
    return values[name]
  }

  func choice(_ name: String, among words: [String]) throws -> String? {
    try values[name].map { word in
      guard words.contains(word) else {
        throw UsageError.unknown(String(name.dropFirst(2)), word, among: words)
      }
      return word
    }
  }

  func choice<Value: CaseIterable & RawRepresentable<String>>(_ name: String) throws -> Value? {
    try choice(name, among: Value.allCases.map(\.rawValue)).flatMap(Value.init)
  }

  func choices<Value: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ kind: String
  ) throws -> [Value]? {
    try list(name)?.map { word in
      guard let value = Value(rawValue: word) else {
        throw UsageError.unknown(kind, word, among: Value.allCases.map(\.rawValue))
      }
      return value
    }
  }

  private func read<Value>(_ name: String, _ advice: String, _ parse: (String) -> Value?) throws -> Value? {
    try values[name].map { try Self.read($0, name, advice, parse) }
  }

  private static func read<Value>(
    _ text: String, _ name: String, _ advice: String, _ parse: (String) -> Value?
  ) throws -> Value {
    guard let value = parse(text) else { throw UsageError("\(name) “\(text)”: give \(advice).") }
    return value
  }

  private static func integer(_ text: String, _ name: String, in range: ClosedRange<Int>) throws -> Int {
    try read(text, name, "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

struct Option: Sendable {
  let name: String
  /// The placeholder for the value in the help, or `nil` for an option without value.
  let value: String?
  let summary: String
  /// The value if the user gives only the option's name. `nil` means that the user must give a value.
  let usually: String?
  let offer: Offer
  fileprivate(set) var group = "options"

  /// Example: `--budget TIME` or `--counters [FILE]`.
  var usage: String {
    guard let value else { return name }
    return "\(name) \(usually == nil ? value : "[\(value)]")"
  }

  var isList: Bool { value?.contains(",") ?? false }

  /// - Parameter words: all possible values or list items. If empty, completions depend on the option's name and placeholder.
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
  func titled(_ group: String) -> [Option] {
    map { option in
      var option = option
      option.group = group
      return option
    }
  }
}

/// The values that shell completion offers for an option or operand.
enum Offer: Hashable, Sendable {
  case nothing
  case words([String])
  case contenders, patterns, scenarios, services, operations, benchmarks
  case files, folders

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

  /// Offers the words of an operand such as `a|b`, or else folders of runs.
  init(operand name: String) {
    self =
      switch name {
      case HelpCommand.operand: .words(Subcommand.shown.map(\.rawValue))
      case _ where name.contains("|"): Offer(option: "", value: name)
      default: .folders
      }
  }
}
