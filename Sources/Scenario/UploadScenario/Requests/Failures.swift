/// The error of an upload that the service refused or could not finish.
public struct UploadFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The index of the media file or chunk. -1 means the creation of the post.
  public let mediaIndex: Int
  /// The service's reason, a text for users.
  public let reason: String
  /// Whether another attempt may succeed.
  public let isTransient: Bool

  /// Creates a failure. By default, no other attempt can succeed.
  public init(mediaIndex: Int, reason: String, isTransient: Bool = false) {
    self.mediaIndex = mediaIndex
    self.reason = reason
    self.isTransient = isTransient
  }

  package static func ofPost(isTransient: Bool = false) -> UploadFailure {
    UploadFailure(mediaIndex: -1, reason: "refused", isTransient: isTransient)
  }

  public var description: String { "\(mediaIndex < 0 ? "the post" : "media file \(mediaIndex)"): \(reason)" }
}

/// The error of a lookup that the service refused.
public struct LookupFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The detail whose lookup was refused.
  public let detail: PostDetail
  /// The service's reason, a text for users.
  public let reason: String

  /// Creates a failure. Only services create failures.
  public init(detail: PostDetail, reason: String) {
    self.detail = detail
    self.reason = reason
  }

  public var description: String { "\(detail): \(reason)" }
}

/// The error if neither mirror accepted a media file.
public struct RaceFailure: Error, Sendable, CustomStringConvertible {
  /// The media file's index in its post.
  public let mediaIndex: Int
  /// The error of the first mirror.
  public let primary: any Error
  /// The error of the second mirror.
  public let secondary: any Error

  /// Creates a failure with both errors. Either of them may have come first.
  public init(mediaIndex: Int, primary: any Error, secondary: any Error) {
    self.mediaIndex = mediaIndex
    self.primary = primary
    self.secondary = secondary
  }

  public var description: String {
    "neither mirror accepted media file \(mediaIndex) (primary: \(primary); secondary: \(secondary))"
  }
}

/// The error of an attempt at an upload that exceeded its time limit.
public struct AttemptTimedOut: Error, Sendable, Hashable, CustomStringConvertible {
  /// The media file's index in its post.
  public let mediaIndex: Int

  /// Creates the error of an attempt. Another attempt may follow.
  public init(mediaIndex: Int) { self.mediaIndex = mediaIndex }

  public var description: String { "media file \(mediaIndex): an attempt got no answer in time" }
}

/// The error of a job that exceeded its deadline.
public struct DeadlineExceeded: Error, Sendable, Hashable, CustomStringConvertible {
  /// Creates the error that ends the job.
  public init() {}

  public var description: String { "the job did not end before its deadline" }
}
