/// The reference of a run under a second name: as it is, which no verdict may tell from it, or slower, which one must find.
///
/// It is a contender like any other to the harness and to the analysis; only its worker knows better.
struct Control: Sendable, CustomStringConvertible {
  let contender: String
  let slowDownPercent: Int

  static func all(of contender: String) -> [Control] {
    [0, 5, 10].map { Control(contender: contender, slowDownPercent: $0) }
  }

  /// Such as `callbacks+5`.
  var name: String { "\(contender)+\(slowDownPercent)" }

  var description: String {
    slowDownPercent == 0
      ? "\(contender) itself"
      : "\(contender), every sample made \(slowDownPercent) % longer on the clock and in processor time"
  }

  /// What its worker is told.
  var workerOptions: [String] {
    let slowDown = slowDownPercent == 0 ? [] : ["--slow-down", "\(Double(slowDownPercent) / 100)"]
    return ["--contender", contender] + slowDown
  }
}
