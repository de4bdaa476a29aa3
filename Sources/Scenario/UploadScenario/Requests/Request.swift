/// One thing that is asked of a service before the post.
public enum Request: Sendable {
  /// The upload of `publish`, `sequence`, `resilient` and `blocking`.
  case upload(Media)
  /// To one of two places that hold the same.
  case uploadToMirror(Media, Mirror)
  /// Where a prepared media may be uploaded to.
  case issueURL(PreparedMedia)
  /// A prepared media, where the service told to; refused anywhere else.
  case uploadTo(UploadURL, PreparedMedia)
  /// One chunk of a `stream`; whoever performs it gives its buffer back.
  case uploadChunk(Chunk)
  /// One of the three details of `zip`.
  case lookUp(PostDetail)

  /// Its place in the ledger, from 0: a pattern that asks twice for each media file has two in a row.
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

  /// The media, chunk or detail that it is about, from 0: faults go by it.
  public var subjectIndex: Int {
    switch self {
    case .upload(let media), .uploadToMirror(let media, _): media.index
    case .issueURL(let prepared), .uploadTo(_, let prepared): prepared.media.index
    case .uploadChunk(let chunk): chunk.index
    case .lookUp(let detail): detail.rawValue
    }
  }

  /// What a service answers that has done what was asked; for a chunk it reads the bytes.
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

  /// The error of a request that was refused.
  public func failure(reason: String, isTransient: Bool = false) -> any Error {
    if case .lookUp(let detail) = self { return LookupFailure(detail: detail, reason: reason) }
    return UploadFailure(mediaIndex: subjectIndex, reason: reason, isTransient: isTransient)
  }
}

/// One of two places that hold the same.
public enum Mirror: Int, Sendable, Hashable, Codable, CaseIterable {
  /// The one that is asked at once.
  case primary
  /// The one that is asked after the hedge delay, unless the first has taken the media file by then.
  case secondary
}
