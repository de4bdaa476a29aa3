import UploadScenario

/// One option that describes a scenario, and all that follows from it: where its value goes, which patterns take it, which
/// service it needs, and what it adds to the scenario's name.
///
/// Adding a parameter: a property of `Scenario`, a row of ``all``, and whoever uses it.
struct ScenarioOption: Sendable {
  /// What it adds to the name of a scenario of the user's own.
  enum Fragment: Sendable {
    case none
    /// Its name and its value, as they were given.
    case value
    /// A word, if it was given; these stand at the end of the name, in the opposite order of the table.
    case word(@Sendable (Scenario) -> String)
  }

  /// The service without which it means nothing.
  struct Need: Sendable {
    let service: String
    let isMet: @Sendable (ServiceKind) -> Bool
    /// Why another service will not do.
    let reason: @Sendable (ServiceKind) -> String
    /// Whether one of several services that stand beside each other is enough.
    var isShared = false
  }

  /// How a value is read from the options, and set.
  struct Binding: Sendable {
    /// All that the value may be; empty: it is no word.
    var words: [String] = []
    var set: @Sendable (Options, String, inout Scenario) throws -> Void = { _, _, _ in }
  }

  let option: Option
  private let binding: Binding
  private let isTaken: @Sendable (Pattern) -> Bool
  /// Whether it matters only where requests take time, so that the usual service is `latency`.
  let takesTime: Bool
  let need: Need?
  let fragment: Fragment

  init(
    _ name: String, _ value: String?, _ summary: String, _ binding: Binding = Binding(),
    for isTaken: @escaping @Sendable (Pattern) -> Bool = { _ in true }, takesTime: Bool = false,
    needs need: Need? = nil, fragment: Fragment = .value
  ) {
    option = Option(name, value, summary, words: binding.words)
    self.binding = binding
    self.isTaken = isTaken
    self.takesTime = takesTime
    self.need = need
    self.fragment = fragment
  }

  /// Sets the scenario's parameter, if the option was given.
  func apply(_ options: Options, to scenario: inout Scenario) throws {
    if options.has(option.name) { try binding.set(options, option.name, &scenario) }
  }

  /// Refuses the first option that was given and means nothing to one of the patterns.
  static func check(_ options: Options, _ patterns: [Pattern]) throws {
    for row in all where options.has(row.option.name) {
      guard let other = patterns.first(where: { !row.isTaken($0) }) else { continue }
      throw UsageError("\(row.option.name) means nothing to \(other.rawValue): \(row.reason(other)).")
    }
  }

  private func reason(_ other: Pattern) -> String {
    let takers = Pattern.allCases.filter(isTaken)
    if takers.count == 1 { return "it is for \(takers[0].rawValue)" }
    if other.looksUp { return "it has three lookups and no media files" }
    return other.isChunked
      ? "its post has one media file of --payload bytes, which --uploaders take in chunks of --chunk"
      : "all its uploads are under way at once"
  }

  /// Refuses a service that lacks what the option needs; `all` are those that stand beside each other.
  func check(_ service: ServiceKind, among all: [ServiceKind]) throws {
    guard let need, !(need.isShared ? all.contains(where: need.isMet) : need.isMet(service)) else { return }
    throw UsageError("\(option.name) needs --service \(need.service): \(need.reason(service)).")
  }
}

extension ScenarioOption.Binding {
  static func value<Value>(
    _ path: WritableKeyPath<Scenario, Value> & Sendable,
    _ read: @escaping @Sendable (Options, String) throws -> Value?
  ) -> Self {
    Self { options, name, scenario in
      if let value = try read(options, name) { scenario[keyPath: path] = value }
    }
  }

  /// One of the cases, by its name.
  static func word<Value: CaseIterable & Sendable>(_ path: WritableKeyPath<Scenario, Value> & Sendable)
    -> Self
  {
    word { scenario, value in scenario[keyPath: path] = value }
  }

  static func word<Value: CaseIterable & Sendable>(_ path: WritableKeyPath<Scenario, Value?> & Sendable)
    -> Self
  {
    word { scenario, value in scenario[keyPath: path] = value }
  }

  private static func word<Value: CaseIterable & Sendable>(
    _ set: @escaping @Sendable (inout Scenario, Value) -> Void
  ) -> Self {
    let cases = Array(Value.allCases)
    let words = cases.map { "\($0)" }
    return Self(words: words) { options, name, scenario in
      let word = try options.choice(name, among: words)
      if let value = cases.first(where: { "\($0)" == word }) { set(&scenario, value) }
    }
  }

  static func flag(_ path: WritableKeyPath<Scenario, Bool> & Sendable) -> Self {
    Self { _, _, scenario in scenario[keyPath: path] = true }
  }
}
