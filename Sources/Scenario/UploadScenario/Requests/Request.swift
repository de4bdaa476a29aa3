/// A request to a service before the post.
public enum Request: Sendable {
  /// The upload of `publish`, `sequence`, `resilient` and `blocking`.
  case upload(Media)
  /// The upload to one of two mirrors.
  case uploadToMirror(Media, Mirror)
  /// The URL for a prepared media file.
  case issueURL(PreparedMedia)
  /// The upload of a prepared media file to the URL issued for it; refused at any other.
  case uploadTo(UploadURL, PreparedMedia)
  /// One chunk of a `stream`; the service gives its buffer back.
  case uploadChunk(Chunk)
  /// One of the three details of `zip`.
  case lookUp(PostDetail)

  /// Its ledger index, from 0: a pattern with two requests per media file has two in a row.
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

  /// The index of its media file, chunk or detail, from 0; faults refer to it.
  public var subjectIndex: Int {
    switch self {
    case .upload(let media), .uploadToMirror(let media, _): media.index
    case .issueURL(let prepared), .uploadTo(_, let prepared): prepared.media.index
    case .uploadChunk(let chunk): chunk.index
    case .lookUp(let detail): detail.rawValue
    }
  }

  /// The service's answer to a success; for a chunk it reads the bytes.
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

  /// The error of a refusal.
  public func failure(reason: String, isTransient: Bool = false) -> any Error {
    if case .lookUp(let detail) = self { return LookupFailure(detail: detail, reason: reason) }
    return UploadFailure(mediaIndex: subjectIndex, reason: reason, isTransient: isTransient)
  }
}

/// One of two equivalent upload destinations.
public enum Mirror: Int, Sendable, Hashable, Codable, CaseIterable {
  /// The mirror whose upload starts at once.
  case primary
  /// The mirror whose upload starts after the hedge delay, unless the first has succeeded by then.
  case secondary
}
