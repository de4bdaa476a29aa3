import UploadScenario

/// Who is offered what, and how.
public struct LoadPlan: Sendable {
  /// Names, in the order in which reports show them.
  public var contenders: [String]
  /// What each post that arrives is.
  public var scenarios: [Scenario]
  /// How arrivals are spread over a window.
  public var schedule: ArrivalSchedule
  /// What the moments of arrival, and the order of the contenders, are drawn from.
  public var seed: UInt64
  /// As in ``LoadRequest``; nil: what it makes of the scenario.
  public var mostPosts: Int?
  /// A fresh process takes a window of this length first, which is not recorded.
  public var warmUpNanoseconds: UInt64
  /// The contenders that take part, by scenario name; a scenario that is not listed has all of them.
  public var participants: [String: [String]]

  /// Nothing is checked; `participants` must name contenders of the plan.
  public init(
    contenders: [String], scenarios: [Scenario], schedule: ArrivalSchedule = .poisson, seed: UInt64 = 1,
    mostPosts: Int? = nil, warmUpNanoseconds: UInt64 = 1_000_000_000, participants: [String: [String]] = [:]
  ) {
    self.contenders = contenders
    self.scenarios = scenarios
    self.schedule = schedule
    self.seed = seed
    self.mostPosts = mostPosts
    self.warmUpNanoseconds = warmUpNanoseconds
    self.participants = participants
  }

  /// Who takes part in a scenario.
  public func contenders(of scenario: Scenario) -> [String] { participants[scenario.name] ?? contenders }
}

/// One contender in one scenario.
public struct LoadCell: Sendable, Hashable {
  /// The contender's name.
  public let contender: String
  /// The scenario's name.
  public let scenario: String

  /// Both by name.
  public init(contender: String, scenario: String) {
    self.contender = contender
    self.scenario = scenario
  }
}

/// How much to offer, and for how long.
public struct LoadOffer: Sendable, Hashable {
  /// The rate of arrivals, above zero; on average where the schedule is random.
  public var postsPerSecond: Double
  /// How long posts arrive. What is under way then is waited for beyond it.
  public var windowNanoseconds: UInt64

  /// Nothing is checked: less than one post in a window says nothing.
  public init(postsPerSecond: Double, windowNanoseconds: UInt64) {
    self.postsPerSecond = postsPerSecond
    self.windowNanoseconds = windowNanoseconds
  }
}

/// A window that was taken.
public struct TakenWindow: Sendable {
  /// Who took it.
  public var cell: LoadCell
  /// What was offered.
  public var offer: LoadOffer
  /// Which pass over all cells, from 0; its moments of arrival were the same for all of them.
  public var round: Int
  /// Place in the round's order, from 0.
  public var position: Int
  /// What came of it.
  public var reply: LoadReply

  /// As the runner records it: round and position count from 0.
  public init(cell: LoadCell, offer: LoadOffer, round: Int, position: Int, reply: LoadReply) {
    self.cell = cell
    self.offer = offer
    self.round = round
    self.position = position
    self.reply = reply
  }
}
