/// The figures of a doctor's report, as texts in rows: the same in every format that people read.
struct DoctorTables {
  let readings: DoctorReadings

  /// A mode, and one row for each of its contenders: name, pairs, spread of one, time of one.
  var spreads: [(mode: String, rows: [[String]])] {
    readings.modes.map { mode in
      (
        mode.mode.rawValue,
        mode.spreads.map { spread in
          [
            spread.contender, "\(spread.logRatios.count)",
            spread.deviation.map { CheckReport.percent($0) } ?? "unknown",
            spread.pairNanoseconds.map(DoctorReport.duration) ?? "unknown",
          ]
        }
      )
    }
  }

  static let spreadHeader = ["The same build against itself", "pairs", "spread of one", "time of one"]

  var marginHeader: [String] {
    ["The smallest slow-down that is found"]
      + (readings.modes.compactMap(\.resolution).first?.smallest ?? []).map {
        "in \(DoctorReport.wholeSeconds($0.seconds))"
      }
      + ["the usual"]
  }

  var margins: [[String]] {
    readings.modes.compactMap { mode in
      guard let resolution = mode.resolution else { return nil }
      return [mode.mode.rawValue]
        + resolution.smallest.map { $0.margin.map { "+\(DoctorReport.percent($0))" } ?? "none" }
        + [
          "+\(DoctorReport.percent(mode.terms.usualMargin)) "
            + (resolution.usualSeconds.map { "in \(DoctorReport.wholeSeconds($0))" } ?? "never")
        ]
    }
  }
}
