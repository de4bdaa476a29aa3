import Results

/// Scenarios of a run that differ in nothing but their fan-out.
struct Series {
  /// Their name with `N` for the fan-out.
  let name: String
  /// With rising fan-outs, all of 1 or more.
  let scenarios: [(fanOut: Int, name: String)]
  /// nil where there is no other machine to tell it from.
  var machine: String?

  /// Through two points goes any curve.
  static let fewestWidths = 3

  /// Those of the scenarios, in the order of their first ones.
  static func all(of scenarios: [(fanOut: Int, name: String)], machine: String? = nil) -> [Series] {
    let named = scenarios.compactMap { scenario in
      name(of: scenario.name, fanOut: scenario.fanOut).map { (series: $0, scenario: scenario) }
    }
    return named.map(\.series).unique().compactMap { name in
      let members = named.filter { $0.series == name }.map(\.scenario).sorted { $0.fanOut < $1.fanOut }
      return members.count < fewestWidths ? nil : Series(name: name, scenarios: members, machine: machine)
    }
  }

  func key(_ contender: String, _ scenario: String) -> CellKey {
    CellKey(contender: contender, scenario: scenario, machine: machine)
  }

  /// `publish-latency-N-reverse`; nil if the name does not say its fan-out, or that is 0.
  static func name(of scenario: String, fanOut: Int) -> String? {
    var parts = scenario.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard fanOut > 0, let index = parts.firstIndex(of: String(fanOut)) else { return nil }
    parts[index] = "N"
    return parts.joined(separator: "-")
  }
}
