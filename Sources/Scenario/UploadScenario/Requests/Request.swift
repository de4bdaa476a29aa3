/// A request to a service, made before the request to create the post.
public enum Request: Sendable {
  /// The upload of `publish`, `sequence`, `resilient` and `blocking`.
  case upload(Media)
  /// The upload to one of two mirrors.
  case uploadToMirror(Media, Mirror)
  /// The request for the URL of a prepared media file.
  case issueURL(PreparedMedia)
  /// The upload of a prepared media file to its URL. The service refuses any other URL.
  case uploadTo(UploadURL, PreparedMedia)
  /// The upload of one chunk of `stream`. The service frees the chunk's buffer.
  case uploadChunk(Chunk)
  /// The lookup of one of the three details of `zip`.
  case lookUp(PostDetail)

  /// The request's index in the ledger, from 0. The two requests for a media file have consecutive indices.
  public var ledgerIndex: Int {
    switch self {
    case .upload(let media): media.index
    case .uploadToMirror(let media, let mirror): 2 * media.index + mirror.rawValue
    case .issueURL(let prepared): 2 * prepared.media.index
    case .uploadTo(_, let prepared): 2 * prepared.media.index + 1
    case .uploadChunk(let chunk): chunk.index
    case .lookUp(let detail): detail.rawValue
    }
  }

  /// The index of the media file, chunk or detail, from 0.
  public var subjectIndex: Int {
    switch self {
    case .upload(let media), .uploadToMirror(let media, _): media.index
    case .issueURL(let prepared), .uploadTo(_, let prepared): prepared.media.index
    case .uploadChunk(let chunk): chunk.index
    case .lookUp(let detail): detail.rawValue
    }
  }

  /// The service's answer to a successful request. For a chunk, this reads the bytes.
  public var receipt: Receipt {
    switch self {
    case .upload(let media), .uploadToMirror(let media, _): media.expectedReceipt
    case .issueURL(let prepared):
      Receipt(mediaIndex: prepared.media.index, byteCount: 0, checksum: UploadURL(for: prepared).token)
    case .uploadTo(_, let prepared): prepared.receipt
    case .uploadChunk(let chunk): chunk.receipt
    case .lookUp(let detail): Receipt(mediaIndex: detail.rawValue, byteCount: 0, checksum: 0)
    }
  }

  /// The error for a refused request.
  public func failure(reason: String, isTransient: Bool = false) -> any Error {
    if case .lookUp(let detail) = self { return LookupFailure(detail: detail, reason: reason) }
    return UploadFailure(mediaIndex: subjectIndex, reason: reason, isTransient: isTransient)
  }
}

/// One of two equivalent upload destinations.
public enum Mirror: Int, Sendable, Hashable, Codable, CaseIterable {
  /// The mirror whose upload starts immediately.
  case primary
  /// The mirror whose upload starts after the hedge delay, unless the primary has succeeded by then.
  case secondary
}
