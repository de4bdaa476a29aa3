/// Which requests fail, and how, as data.
public struct Faults: Sendable, Hashable, Codable {
  /// How a request fails.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// It is refused for good.
    case refusal
    /// It fails; another attempt may succeed.
    case transient
    /// It is never answered unless cancelled.
    case silence
  }

  /// The index of the media file, chunk or detail whose request fails.
  public var failAt: Int?
  /// The share of requests that fail, from 0 to 1, drawn from `seed` per media file, and per attempt for transient kinds.
  public var failureRate: Double
  /// How requests of `failAt` and `failureRate` fail.
  public var kind: Kind
  /// How many attempts of `failAt` fail; nil: all.
  public var failingAttempts: Int?
  /// The only mirror that fails; nil: both.
  public var mirror: Mirror?
  /// The seed of `failureRate`: the same requests fail for every contender.
  public var seed: UInt64

  /// Creates faults: by `failAt`, `failureRate`, or both.
  public init(
    failAt: Int? = nil, failureRate: Double = 0, kind: Kind = .refusal, failingAttempts: Int? = nil,
    mirror: Mirror? = nil, seed: UInt64 = 0
  ) {
    self.failAt = failAt
    self.failureRate = failureRate
    self.kind = kind
    self.failingAttempts = failingAttempts
    self.mirror = mirror
    self.seed = seed
  }

  /// Whether nothing fails.
  public var isEmpty: Bool { failAt == nil && failureRate == 0 }

  /// How an attempt (from 1) at a request fails; nil: it succeeds.
  public func kind(of request: Request, attempt: Int = 1) -> Kind? {
    switch request {
    case .issueURL: nil
    case .uploadToMirror(_, let mirror) where self.mirror != nil && self.mirror != mirror: nil
    default: kind(at: request.subjectIndex, attempt: attempt)
    }
  }

  /// How an attempt at the media file, chunk or detail at an index fails; nil: it succeeds.
  public func kind(at index: Int, attempt: Int = 1) -> Kind? {
    if index == failAt { return attempt <= failingAttempts ?? .max ? kind : nil }
    guard failureRate > 0 else { return nil }
    let draw = kind == .refusal ? index : index &* 256 &+ attempt
    return SeededGenerator.unit(SeededGenerator.value(seed: seed, index: draw)) < failureRate ? kind : nil
  }

  /// The error of an attempt at a request; nil: it succeeds, or is never answered.
  public func error(of request: Request, attempt: Int = 1) -> (any Error)? {
    guard !isEmpty, let kind = kind(of: request, attempt: attempt), kind != .silence else { return nil }
    let reason = request.subjectIndex == failAt ? "refused by the scenario" : "refused by chance"
    return request.failure(reason: reason, isTransient: kind == .transient)
  }
}
