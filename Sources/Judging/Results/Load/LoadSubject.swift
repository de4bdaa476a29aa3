/// What was offered to whom: what every file of a load run begins its rows with.
public struct LoadSubject: Sendable, Hashable {
  public var run: String
  public var contender: String
  public var scenario: String
  public var pattern: String
  public var service: String
  public var fanOut: Int
  public var inFlightLimit: Int?
  public var payloadBytes: Int
  /// `poisson` or `fixed`.
  public var schedule: String

  public init(
    run: String, contender: String, scenario: String, pattern: String, service: String, fanOut: Int,
    inFlightLimit: Int? = nil, payloadBytes: Int, schedule: String
  ) {
    self.run = run
    self.contender = contender
    self.scenario = scenario
    self.pattern = pattern
    self.service = service
    self.fanOut = fanOut
    self.inFlightLimit = inFlightLimit
    self.payloadBytes = payloadBytes
    self.schedule = schedule
  }

  static let blank = LoadSubject(
    run: "", contender: "", scenario: "", pattern: "", service: "", fanOut: 0, payloadBytes: 0, schedule: "")
}
