/// Which requests fail, and how, as data.
public struct Faults: Sendable, Hashable, Codable {
  /// What happens to a request that fails.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// It is refused, and would be again.
    case refusal
    /// It fails, and another attempt may succeed.
    case transient
    /// It is never answered, unless it is cancelled.
    case silence
  }

  /// The index of the media, chunk or detail whose request fails.
  public var failAt: Int?
  /// The share of requests that fail, from 0 to 1, drawn per media, and per attempt for kinds that pass, from `seed`.
  public var failureRate: Double
  /// How what fails does so; alike for `failAt` and `failureRate`.
  public var kind: Kind
  /// How many attempts at the request of `failAt` fail; nil: all.
  public var failingAttempts: Int?
  /// The only mirror that fails; nil: both do.
  public var mirror: Mirror?
  /// What `failureRate` is drawn from: the same requests fail for everyone who has the same seed.
  public var seed: UInt64

  /// Nothing fails, unless `failAt` or `failureRate` says so; both may.
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

  /// How attempt number `attempt` (from 1) at a request fails, nil if it succeeds.
  public func kind(of request: Request, attempt: Int = 1) -> Kind? {
    switch request {
    case .issueURL: nil
    case .uploadToMirror(_, let mirror) where self.mirror != nil && self.mirror != mirror: nil
    default: kind(at: request.subjectIndex, attempt: attempt)
    }
  }

  /// The same for the media, chunk or detail at an index.
  public func kind(at index: Int, attempt: Int = 1) -> Kind? {
    if index == failAt { return attempt <= failingAttempts ?? .max ? kind : nil }
    guard failureRate > 0 else { return nil }
    let draw = kind == .refusal ? index : index &* 256 &+ attempt
    return SeededGenerator.unit(SeededGenerator.value(seed: seed, index: draw)) < failureRate ? kind : nil
  }

  /// The error of attempt number `attempt` at a request; nil if it succeeds, or is never answered.
  public func error(of request: Request, attempt: Int = 1) -> (any Error)? {
    guard !isEmpty, let kind = kind(of: request, attempt: attempt), kind != .silence else { return nil }
    let reason = request.subjectIndex == failAt ? "refused by the scenario" : "refused by chance"
    return request.failure(reason: reason, isTransient: kind == .transient)
  }
}
