/// What a run was to do of one scenario, so that its files alone say so: an entry of environment.json.
public struct ScenarioRecord: Codable, Sendable, Hashable {
  /// Everything that makes it this scenario and no other, by key path; nothing that names a place on a machine.
  public var definition: [String: String]
  /// Who was to be measured.
  public var contenders: [String]
  /// `post`, `error` or `cancellation`; nil: as its samples tell.
  public var endsWith: String?
  /// What it is about and what its times are per; nil: uploads.
  public var subject: String?
  public var unit: String?
  public var showsMemory: Bool?

  public init(
    definition: [String: String], contenders: [String], endsWith: String? = nil, subject: String? = nil,
    unit: String? = nil, showsMemory: Bool? = nil
  ) {
    self.definition = definition
    self.contenders = contenders
    self.endsWith = endsWith
    self.subject = subject
    self.unit = unit
    self.showsMemory = showsMemory
  }

  enum CodingKeys: String, CodingKey {
    case definition, contenders, subject, unit
    case endsWith = "ends_with"
    case showsMemory = "shows_memory"
  }
}
