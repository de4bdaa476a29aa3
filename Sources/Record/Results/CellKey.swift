/// The name of a cell: contender × scenario, and in a run of several machines the machine.
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

/// A scenario on a machine: only what shares both is compared.
public struct ScenarioKey: Sendable, Hashable, CustomStringConvertible {
  public let scenario: String
  /// nil where there is no other machine to tell it from.
  public let machine: String?

  public init(scenario: String, machine: String? = nil) {
    self.scenario = scenario
    self.machine = machine
  }

  /// Such as `publish-instant-100`, or `publish-instant-100 @ node-7`.
  public var description: String { machine.map { "\(scenario) @ \($0)" } ?? scenario }
}

extension Sequence<ScenarioKey> {
  /// Scenarios in the order in which they come first, the machines of one after another.
  package func grouped() -> [ScenarioKey] {
    let places = unique()
    return places.map(\.scenario).unique().flatMap { scenario in
      places.filter { $0.scenario == scenario }
    }
  }
}

// In this module so that the modules above call one generic copy, where they would compile one for each type of element.

/// What elements are sorted by: a name, then numbers one after another, then another name.
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
  /// The elements by rising keys; those with equal ones stay in their order.
  package func ordered(by key: (Element) -> SortKey) -> [Element] {
    let keyed = map { (key: key($0), element: $0) }
    return keyed.indices.sorted { keyed[$0].key < keyed[$1].key }.map { keyed[$0].element }
  }

  /// The elements by what they have in common, in their order.
  package func grouped<Key: Hashable>(by key: (Element) -> Key) -> [Key: [Element]] {
    Dictionary(grouping: self, by: key)
  }

  /// What each element stands for, by its key; of equal keys the first counts.
  package func keyed<Key: Hashable, Value>(_ pair: (Element) -> (Key, Value)) -> [Key: Value] {
    Dictionary(map(pair)) { first, _ in first }
  }
}

extension Sequence where Element: Hashable {
  /// The elements without repetition, in the order of their first appearance.
  package func unique() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
