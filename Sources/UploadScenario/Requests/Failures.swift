/// An upload that the service refused or could not finish.
public struct UploadFailure: Error, Sendable, Hashable, CustomStringConvertible {
  public let mediaIndex: Int
  public let reason: String
  /// Whether another attempt may succeed; otherwise the request itself is at fault, as with HTTP's 4xx.
  public let isTransient: Bool

  public init(mediaIndex: Int, reason: String, isTransient: Bool = false) {
    self.mediaIndex = mediaIndex
    self.reason = reason
    self.isTransient = isTransient
  }

  public var description: String { "media \(mediaIndex): \(reason)" }
}

/// A lookup that the service refused.
public struct LookupFailure: Error, Sendable, Hashable, CustomStringConvertible {
  public let detail: PostDetail
  public let reason: String

  public init(detail: PostDetail, reason: String) {
    self.detail = detail
    self.reason = reason
  }

  public var description: String { "\(detail): \(reason)" }
}

/// Neither mirror took a media.
public struct RaceFailure: Error, Sendable, CustomStringConvertible {
  public let mediaIndex: Int
  public let primary: any Error
  public let secondary: any Error

  public init(mediaIndex: Int, primary: any Error, secondary: any Error) {
    self.mediaIndex = mediaIndex
    self.primary = primary
    self.secondary = secondary
  }

  public var description: String {
    "media \(mediaIndex) lost its race: primary mirror: \(primary); secondary mirror: \(secondary)"
  }
}

/// One attempt at an upload took longer than it may.
public struct AttemptTimedOut: Error, Sendable, Hashable, CustomStringConvertible {
  public let mediaIndex: Int

  public init(mediaIndex: Int) { self.mediaIndex = mediaIndex }

  public var description: String { "media \(mediaIndex): no answer in time" }
}

/// The whole job took longer than it may.
public struct DeadlineExceeded: Error, Sendable, Hashable, CustomStringConvertible {
  public init() {}

  public var description: String { "the job did not end before its deadline" }
}
