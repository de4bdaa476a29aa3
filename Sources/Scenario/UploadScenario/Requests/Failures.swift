/// An upload that the service refused or could not finish.
public struct UploadFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The media's position in its post, or the chunk's in its media; -1: it is the post itself.
  public let mediaIndex: Int
  /// What the service said, for people.
  public let reason: String
  /// Whether another attempt may succeed; otherwise the request itself is at fault, as with HTTP's 4xx.
  public let isTransient: Bool

  /// A refusal for good, unless it `isTransient`.
  public init(mediaIndex: Int, reason: String, isTransient: Bool = false) {
    self.mediaIndex = mediaIndex
    self.reason = reason
    self.isTransient = isTransient
  }

  /// The post was refused.
  package static func ofPost(isTransient: Bool = false) -> UploadFailure {
    UploadFailure(mediaIndex: -1, reason: "refused", isTransient: isTransient)
  }

  public var description: String { "\(mediaIndex < 0 ? "the post" : "media file \(mediaIndex)"): \(reason)" }
}

/// A lookup that the service refused.
public struct LookupFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// Which of the three was asked for.
  public let detail: PostDetail
  /// What the service said, for people.
  public let reason: String

  /// For services, whose words the reason is.
  public init(detail: PostDetail, reason: String) {
    self.detail = detail
    self.reason = reason
  }

  public var description: String { "\(detail): \(reason)" }
}

/// Neither mirror took a media file.
public struct RaceFailure: Error, Sendable, CustomStringConvertible {
  /// The media's position in its post.
  public let mediaIndex: Int
  /// What became of the upload to the first mirror.
  public let primary: any Error
  /// What became of the upload to the second mirror, which began after the hedge delay, whatever became of the first.
  public let secondary: any Error

  /// For the contender that writes `race`: both errors are reported, in whichever order they came.
  public init(mediaIndex: Int, primary: any Error, secondary: any Error) {
    self.mediaIndex = mediaIndex
    self.primary = primary
    self.secondary = secondary
  }

  public var description: String {
    "media file \(mediaIndex) lost its race: primary mirror: \(primary); secondary mirror: \(secondary)"
  }
}

/// One attempt at an upload took longer than it may.
public struct AttemptTimedOut: Error, Sendable, Hashable, CustomStringConvertible {
  /// The media's position in its post.
  public let mediaIndex: Int

  /// For the contender that writes `resilient`: another attempt may follow.
  public init(mediaIndex: Int) { self.mediaIndex = mediaIndex }

  public var description: String { "media file \(mediaIndex): no answer in time" }
}

/// The whole job took longer than it may.
public struct DeadlineExceeded: Error, Sendable, Hashable, CustomStringConvertible {
  /// For the contender that writes `resilient`: nothing follows.
  public init() {}

  public var description: String { "the job did not end before its deadline" }
}
