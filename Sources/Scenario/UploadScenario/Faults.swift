/// A description of which requests fail, and how.
public struct Faults: Sendable, Hashable, Codable {
  /// The way in which a request fails.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// The request is refused, and so is every further attempt.
    case refusal
    /// The request fails, but another attempt may succeed.
    case transient
    /// The request is answered only if it is cancelled.
    case silence
  }

  /// The index of the media file, chunk or detail whose request fails.
  public var failAt: Int?
  /// The share of requests that fail, from 0 to 1, drawn from `seed`.
  public var failureRate: Double
  /// The way in which the requests of `failAt` and `failureRate` fail.
  public var kind: Kind
  /// The number of attempts of `failAt` that fail. `nil` means all.
  public var failingAttempts: Int?
  /// The mirror that fails. `nil` means both.
  public var mirror: Mirror?
  /// The seed of `failureRate`, so that the same requests fail for every contender.
  public var seed: UInt64

  /// Creates faults. Requests may fail by `failAt`, by `failureRate`, or by both.
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

  /// Whether no request fails.
  public var isEmpty: Bool { failAt == nil && failureRate == 0 }

  /// The way in which an attempt (from 1) at a request fails, or `nil` if it succeeds.
  public func kind(of request: Request, attempt: Int = 1) -> Kind? {
    switch request {
    case .issueURL: nil
    case .uploadToMirror(_, let mirror) where self.mirror != nil && self.mirror != mirror: nil
    default: kind(at: request.subjectIndex, attempt: attempt)
    }
  }

  /// The way in which an attempt at the media file, chunk or detail at an index fails, or `nil` if it succeeds.
  public func kind(at index: Int, attempt: Int = 1) -> Kind? {
    if index == failAt { return attempt <= failingAttempts ?? .max ? kind : nil }
    guard failureRate > 0 else { return nil }
    let draw = kind == .refusal ? index : index &* 256 &+ attempt
    return SeededGenerator.unit(SeededGenerator.value(seed: seed, index: draw)) < failureRate ? kind : nil
  }

  /// The error of an attempt at a request. `nil` if the attempt succeeds or is never answered.
  public func error(of request: Request, attempt: Int = 1) -> (any Error)? {
    guard !isEmpty, let kind = kind(of: request, attempt: attempt), kind != .silence else { return nil }
    let reason = request.subjectIndex == failAt ? "refused by the scenario" : "refused by the failure rate"
    return request.failure(reason: reason, isTransient: kind == .transient)
  }
}
