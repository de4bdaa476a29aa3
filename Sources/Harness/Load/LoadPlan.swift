import UploadScenario

/// Who is offered what, and how.
public struct LoadPlan: Sendable {
  public var contenders: [String]
  public var scenarios: [Scenario]
  public var schedule: ArrivalSchedule
  public var seed: UInt64
  /// As in ``LoadRequest``; nil: what it makes of the scenario.
  public var mostPosts: Int?
  /// A fresh process takes a window of this length first, which is not recorded.
  public var warmUpNanoseconds: UInt64
  /// The contenders that take part, by scenario name; a scenario that is not listed has all of them.
  public var participants: [String: [String]]

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
  public let contender: String
  public let scenario: String

  public init(contender: String, scenario: String) {
    self.contender = contender
    self.scenario = scenario
  }
}

/// How much to offer, and for how long.
public struct LoadOffer: Sendable, Hashable {
  public var postsPerSecond: Double
  public var windowNanoseconds: UInt64

  public init(postsPerSecond: Double, windowNanoseconds: UInt64) {
    self.postsPerSecond = postsPerSecond
    self.windowNanoseconds = windowNanoseconds
  }
}

/// A window that was taken.
public struct TakenWindow: Sendable {
  public var cell: LoadCell
  public var offer: LoadOffer
  /// Which pass over all cells, from 0; its moments of arrival were the same for all of them.
  public var round: Int
  /// Place in the round's order, from 0.
  public var position: Int
  public var reply: LoadReply

  public init(cell: LoadCell, offer: LoadOffer, round: Int, position: Int, reply: LoadReply) {
    self.cell = cell
    self.offer = offer
    self.round = round
    self.position = position
    self.reply = reply
  }
}
