import Results
import RuntimeOperations
import UploadScenario
import UploadServices

/// Everything that the command can measure: contenders, and operations of the runtimes or a package's own benchmarks.
struct ContenderList: Sendable {
  let contenders: [any Contender]
  /// Contenders that a run measures only if the user names them.
  let variants: [any Contender]
  let idioms: [Idiom]
  let benchmarks: BenchmarkTable
  let explore: Explore?
  let aliases: AliasTable
  let http: (@Sendable () -> any HTTPTransport)?

  init(
    _ contenders: [any Contender], variants: [any Contender] = [], idioms: [Idiom] = [],
    runtimes: [RuntimeContender] = [], explore: Explore? = nil, aliases: [ContenderAlias] = [],
    http: (@Sendable () -> any HTTPTransport)? = nil, benchmarks: BenchmarkTable? = nil
  ) {
    self.contenders = contenders
    self.variants = variants
    self.idioms = idioms
    self.benchmarks = benchmarks ?? BenchmarkTable(runtimes)
    self.explore = explore
    self.aliases = AliasTable(rows: aliases)
    self.http = http
  }

  var all: [any Contender] { contenders + variants }

  /// Whether this executable has benchmarks of its own package in place of contenders.
  var isSuite: Bool { contenders.isEmpty }

  /// The idiom of each contender, as environment.json records it. `nil` if no idiom is known.
  func idiomRecords(of contenders: [any Contender]) -> [String: IdiomRecord]? {
    var known: [String: IdiomRecord] = [:]
    for contender in contenders {
      let broken = contender.brokenRequirements.map { $0.rules[0] }
      known[contender.name] = idioms.of(contender.name).map {
        IdiomRecord(
          name: $0.name, shipsWith: $0.shipper.rawValue, completions: CompletionContext.inline.rawValue,
          perUpload: $0.perUpload, breaks: broken.isEmpty ? nil : broken,
          libraryLines: SourceLines.ofLibraries(below: contender))
      }
    }
    return known.isEmpty ? nil : known
  }

  func named(_ name: String) throws -> any Contender {
    let known = try aliases.name(name, among: all.map(\.name))
    return all.first { $0.name == known }!
  }

  /// The contenders that `--contenders` selects, or without this option all but variants.
  func chosen(by options: Options) throws -> [any Contender] {
    guard let texts = try options.list("--contenders") else { return contenders }
    let known = all.map(\.name)
    for text in texts {
      let parts = text.split(separator: "@").map(String.init)
      guard parts.count == 2, CompletionContext(rawValue: parts[1]) != nil else { continue }
      throw UsageError(
        "“\(text)”: a contender's name does not say where completions run. Give --contenders \(parts[0]) --on \(parts[1])."
      )
    }
    let names = try Glob.names(texts, "contender", among: known, aliases)
    return all.filter { names.contains($0.name) }
  }
}

extension Options {
  /// The known names that the names and globs of an option select. `nil` if the user did not give the option.
  func names(
    _ name: String, _ kind: String, among known: [String], _ aliases: AliasTable = AliasTable()
  ) throws -> Set<String>? {
    try list(name).map { Set(try Glob.names($0, kind, among: known, aliases)) }
  }

  func contenders(among known: [String], _ aliases: AliasTable) throws -> [String]? {
    try names("--contenders", "contender", among: known, aliases).map { known.filter($0.contains) }
  }
}

extension Contender {
  /// An error text for a contender that supports none of the scenarios. It lists the patterns that the contender implements.
  var abilities: String {
    let broken = brokenRequirements.map(\.reason).joined(separator: "; ")
    return "\(name) takes part in none of these scenarios. It implements "
      + patterns.map(\.rawValue).joined(separator: ", ") + (broken.isEmpty ? "." : ", but \(broken).")
  }
}

extension [any Contender] {
  /// Prints which contenders cannot run the scenario although they implement its pattern, and why.
  func remarkAbstentions(from scenario: Scenario) {
    let reasons = compactMap { contender in
      contender.patterns.contains(scenario.pattern) ? contender.reasonToAbstain(from: scenario) : nil
    }
    for reason in reasons.unique() {
      let names = filter { $0.reasonToAbstain(from: scenario) == reason }.map(\.name).joined(separator: ", ")
      Terminal.remark("left out of \(scenario.name), as \(reason): \(names)")
    }
  }

  func writing(_ scenario: Scenario) -> Self { filter { $0.writes(scenario) } }

  func participants(in scenarios: [Scenario]) -> [String: [String]] {
    scenarios.keyed { ($0.name, writing($0).map(\.name)) }
  }

  /// Throws if no contender implements the pattern of a scenario.
  func checkThatAllAreWritten(_ scenarios: [Scenario]) throws {
    guard let lonely = scenarios.first(where: { writing($0).isEmpty }) else { return }
    if let reason = compactMap({ $0.reasonToAbstain(from: lonely) }).first {
      throw UsageError("none of \(map(\.name).joined(separator: ", ")) supports \(lonely.name): \(reason).")
    }
    throw UsageError("none of \(map(\.name).joined(separator: ", ")) implements \(lonely.pattern.rawValue).")
  }
}

/// Other names of a contender. None of them is the main name of another contender.
///
/// `absence` is advice for users of a build that lacks the contender. `nil` if every build has the contender.
public typealias ContenderAlias = (names: [String], contender: String, absence: String?)

struct AliasTable: Sendable {
  var rows: [ContenderAlias] = []

  /// The known name that is equal to a text, or that has the text as an alias.
  func name(_ text: String, _ kind: String = "contender", among known: [String]) throws -> String {
    if known.contains(text) { return text }
    let typed = text.lowercased()
    guard let row = rows.first(where: { $0.names.contains(typed) || $0.contender == typed }) else {
      throw UsageError.unknown(kind, text, among: known)
    }
    if known.contains(row.contender) { return row.contender }
    guard let absence = row.absence else { throw UsageError.unknown(kind, row.contender, among: known) }
    throw UsageError("this build has no \(kind) “\(text)”. \(absence)")
  }

  func rows(of known: [String]) -> [ContenderAlias] {
    rows.filter { known.contains($0.contender) && $0.names != [$0.contender] }
  }
}

/// A name pattern in which each `*` matches any characters, including `/`.
struct Glob {
  let text: String

  init(_ text: String) { self.text = text }

  var hasWildcard: Bool { text.contains("*") }

  func matches(_ name: String) -> Bool {
    let parts = text.unicodeScalars.split(separator: "*", omittingEmptySubsequences: false)
    var rest = name.unicodeScalars[...]
    guard rest.starts(with: parts[0]) else { return false }
    if parts.count == 1 { return rest.count == parts[0].count }
    rest = rest.dropFirst(parts[0].count)
    // Each star matches as few characters as possible, which leaves the most text for the parts after it.
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    let last = parts[parts.count - 1]
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }
}

extension Glob {
  /// The known names that the given names and globs select, each once.
  static func names(
    _ texts: [String], _ kind: String, among known: [String], _ aliases: AliasTable = AliasTable()
  )
    throws -> [String]
  {
    try texts.flatMap { text -> [String] in
      let glob = Glob(text)
      let matches = known.filter(glob.matches)
      if !matches.isEmpty { return matches }
      return [try aliases.name(text, kind, among: known)]
    }.unique()
  }
}
