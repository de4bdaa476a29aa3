import Results

/// Where the time of a scenario goes; those of a class are told in one number.
public enum ScenarioClass: String, Sendable, Hashable, Codable {
  case nothingWaits = "nothing_waits"
  case limited
  case uploadsWait = "uploads_wait"
  case blocking
  case failing
  /// What it asks is another question: it is in its own table only.
  case other

  /// The columns of the answer, in their order.
  static let columns: [ScenarioClass] = [.nothingWaits, .limited, .uploadsWait, .blocking, .failing]

  /// What a record without the class tells: the service, and whether there is a limit.
  static func inferred(from sample: Sample) -> ScenarioClass? {
    switch sample.service {
    case "instant": sample.inFlightLimit == nil ? .nothingWaits : .limited
    case "latency", "file", "http": .uploadsWait
    case "blocking": .blocking
    default: nil
    }
  }

  /// The heading of its columns, in one line or two.
  var heading: (above: String, below: String) {
    switch self {
    case .nothingWaits: ("nothing", "waits")
    case .limited: ("few at", "once")
    case .uploadsWait: ("uploads", "wait")
    case .blocking: ("block-", "ing")
    case .failing: ("fail-", "ing")
    case .other: ("", "other")
    }
  }

  var title: String { Table.Column.joined(heading.above, heading.below) }

  /// What the title does not say.
  var meaning: String {
    switch self {
    case .nothingWaits: "uploads take no time"
    case .limited: "likewise, but with a limit"
    case .uploadsWait: ""
    case .blocking: "each holds a thread"
    case .failing: "until the error or cancel"
    case .other: ""
    }
  }

  /// How a sentence about it begins.
  var opening: String {
    switch self {
    case .nothingWaits: "Where nothing waits"
    case .limited: "Where only a few may run at once"
    case .uploadsWait: "Where uploads wait and none fails"
    case .blocking: "Where calls block their thread"
    case .failing: "Until a failing job has ended"
    case .other: ""
    }
  }
}
