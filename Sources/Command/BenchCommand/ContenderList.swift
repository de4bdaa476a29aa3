import Verdicts
import RuntimeOperations
import UploadScenario
import UploadServices

/// What the command can measure: contenders, which a run takes by itself, variants, which it takes on request, and
/// implementations of the runtimes' operations.
struct ContenderList: Sendable {
  let contenders: [any Contender]
  let variants: [any Contender]
  let runtimes: [RuntimeContender]
  let explore: Explore?
  let http: (@Sendable () -> any HTTPTransport)?

  init(
    _ contenders: [any Contender], variants: [any Contender] = [], runtimes: [RuntimeContender] = [],
    explore: Explore? = nil, http: (@Sendable () -> any HTTPTransport)? = nil
  ) {
    self.contenders = contenders
    self.variants = variants
    self.runtimes = runtimes
    self.explore = explore
    self.http = http
  }

  var all: [any Contender] { contenders + variants }

  func named(_ name: String) throws -> any Contender {
    guard let contender = all.first(where: { $0.name == name }) else {
      throw UsageError.unknown("contender", name, among: all.map(\.name))
    }
    return contender
  }

  /// The contenders that `--contenders` asks for, in this list's order; without it all contenders and no variant.
  func chosen(by options: Options) throws -> [any Contender] {
    guard let wanted = try options.list("--contenders") else { return contenders }
    var names: Set<String> = []
    for text in wanted {
      let glob = Glob(text)
      let matches = all.map(\.name).filter(glob.matches)
      if matches.isEmpty { throw unmatched(glob) }
      names.formUnion(matches)
    }
    return all.filter { names.contains($0.name) }
  }

  private func unmatched(_ glob: Glob) -> UsageError {
    let names = all.map(\.name)
    guard glob.hasWildcard else { return .unknown("contender", glob.text, among: names) }
    // What is near is sought without the wildcards, among whole names and what stands before their slash.
    let stem = String(glob.text.filter { $0 != "*" && $0 != "/" })
    let families = Set(names.compactMap { $0.split(separator: "/").first.map(String.init) }).sorted()
    let hint =
      NearestName.of(stem, among: families).map { "Did you mean something of \($0)?" }
      ?? "`\(CommandName.current) list` shows all names."
    return UsageError("no contender or variant is called “\(glob.text)”. \(hint)")
  }
}

extension [any Contender] {
  /// Those that write the scenario's pattern.
  func writing(_ scenario: Scenario) -> Self { filter { $0.patterns.contains(scenario.pattern) } }

  /// Each scenario with each of those that write its pattern.
  func cells(in scenarios: [Scenario]) -> [CellKey] {
    scenarios.flatMap { scenario in
      writing(scenario).map { CellKey(contender: $0.name, scenario: scenario.name) }
    }
  }

  /// The names of those that take part, by scenario.
  func participants(in scenarios: [Scenario]) -> [String: [String]] {
    Dictionary(uniqueKeysWithValues: scenarios.map { ($0.name, writing($0).map(\.name)) })
  }

  /// Refuses a scenario whose pattern none of them writes.
  func checkThatAllAreWritten(_ scenarios: [Scenario]) throws {
    guard let lonely = scenarios.first(where: { writing($0).isEmpty }) else { return }
    throw UsageError("none of \(map(\.name).joined(separator: ", ")) writes \(lonely.pattern.rawValue).")
  }
}

/// A name in which each `*` stands for any characters, `/` included.
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
    // As little as possible for each star leaves the most to those behind it.
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    let last = parts[parts.count - 1]
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }
}
