/// A media that is ready to be uploaded: its bytes have been read and digested.
public struct PreparedMedia: Sendable, Hashable {
  /// What was prepared.
  public let media: Media
  /// `Checksum` of all bytes, as often as they were read.
  public let digest: UInt64

  /// Reads all bytes `passes` times, on the calling thread; throws `MediaReadError`.
  public init(_ media: Media, passes: Int) throws {
    var checksum = Checksum()
    for _ in 0..<passes {
      var reader = try MediaReader(media)
      try reader.readAll { checksum.update($0) }
    }
    self.media = media
    digest = checksum.value
  }

  /// The receipt that proves that it was prepared, and arrived whole.
  public var receipt: Receipt {
    Receipt(mediaIndex: media.index, byteCount: media.byteCount, checksum: digest)
  }
}

/// Where one prepared media may be uploaded to, and no other.
public struct UploadURL: Sendable, Hashable {
  /// Follows from the media's digest and index, so that a service can tell whose URL it is given.
  public let token: UInt64

  /// As a service's answer carries it.
  public init(token: UInt64) { self.token = token }

  /// The one that a service issues for it.
  public init(for prepared: PreparedMedia) {
    token = SeededGenerator.value(seed: prepared.digest, index: prepared.media.index)
  }
}
