/// A contender in a scenario and, in a run on several machines, on a machine.
public struct CellKey: Sendable, Hashable, CustomStringConvertible {
  public let contender: String
  public let place: ScenarioKey

  public init(contender: String, scenario: String, machine: String? = nil) {
    self.init(contender: contender, place: ScenarioKey(scenario: scenario, machine: machine))
  }

  public init(contender: String, place: ScenarioKey) {
    self.contender = contender
    self.place = place
  }

  public var scenario: String { place.scenario }
  public var machine: String? { place.machine }

  public var description: String { "\(contender) × \(place)" }
}

/// A scenario on a machine. Only contenders with the same key are compared.
public struct ScenarioKey: Sendable, Hashable, CustomStringConvertible {
  public let scenario: String
  /// The machine's name; `nil` if the run has only one machine.
  public let machine: String?

  public init(scenario: String, machine: String? = nil) {
    self.scenario = scenario
    self.machine = machine
  }

  /// Examples: `publish-instant-100`, `publish-instant-100 @ node-7`.
  public var description: String { machine.map { "\(scenario) @ \($0)" } ?? scenario }
}

extension Sequence<ScenarioKey> {
  /// The keys in order of first appearance, with all machines of a scenario next to each other.
  package func grouped() -> [ScenarioKey] {
    let places = unique()
    return places.map(\.scenario).unique().flatMap { scenario in
      places.filter { $0.scenario == scenario }
    }
  }
}

/// A sort key: a name, then numbers, then another name.
package struct SortKey: Comparable {
  var first = ""
  var numbers: [Double] = []
  var last = ""

  package init(first: String = "", numbers: [Double] = [], last: String = "") {
    (self.first, self.numbers, self.last) = (first, numbers, last)
  }

  package static func < (left: SortKey, right: SortKey) -> Bool {
    if left.first != right.first { return left.first < right.first }
    for (one, other) in zip(left.numbers, right.numbers) where one != other { return one < other }
    return left.last < right.last
  }
}

extension Sequence {
  /// The elements in ascending order of their keys. The sort is stable.
  package func ordered(by key: (Element) -> SortKey) -> [Element] {
    let keyed = map { (key: key($0), element: $0) }
    return keyed.indices.sorted { keyed[$0].key < keyed[$1].key }.map { keyed[$0].element }
  }

  package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [Key: [Element]] {
    Dictionary(grouping: self, by: key)
  }

  /// A dictionary of the elements' pairs. If several pairs have the same key, the first is used.
  package func keyed<Key: Hashable, Value>(_ pair: (Element) -> (Key, Value)) -> [Key: Value] {
    Dictionary(map(pair)) { first, _ in first }
  }
}

extension Sequence where Element: Hashable {
  /// The distinct elements in order of first appearance.
  package func unique() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}

extension Array {
  /// The elements in groups of equal keys. Groups are in the order of their first elements.
  package func inGroups<Key: Hashable>(by key: (Element) -> Key) -> [[Element]] {
    let groups = grouped(by: key)
    return map(key).unique().compactMap { groups[$0] }
  }
}
