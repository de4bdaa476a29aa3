import UploadScenario

/// One promise that contenders make, as it is asked for and reported.
public struct Rule: Sendable, Hashable, Codable {
  let kind: Promise

  init(_ kind: Promise) { self.kind = kind }

  /// Every rule, in the order in which they are tried.
  public static let all = Promise.allCases.map(Rule.init)
  /// Names it in every report: `first-failure`.
  public var name: String { kind.rawValue }
  /// What is promised, in one sentence.
  public var promise: String { kind.descriptor.sentence }
  /// The patterns that make the promise.
  public var patterns: [Pattern] { kind.descriptor.patterns }

  /// By its name, which must be one that there is.
  public init(from decoder: any Decoder) throws { kind = try Promise(from: decoder) }

  /// As its name.
  public func encode(to encoder: any Encoder) throws { try kind.encode(to: encoder) }
}
