/// What a post needs to know before it is created, each looked up by a request of its own: three results of three types.
public enum PostDetail: Int, Sendable, Hashable, CaseIterable {
  /// Who posts: ``Author``.
  case author
  /// Where it was taken: ``Place``.
  case place
  /// Who may see it: ``Audience``.
  case audience
}

/// Who posts.
public struct Author: Sendable, Hashable {
  /// Made from the post's id, so that a service can tell whether it got it back.
  public let id: UInt64
}

/// Where a post was taken.
public struct Place: Sendable, Hashable {
  /// Degrees, from -90 to 90.
  public let latitude: Double
  /// Degrees, from -180 to 180.
  public let longitude: Double
}

/// Who may see a post.
public struct Audience: Sendable, Hashable {
  /// The ids of those who follow the author.
  public let followers: [UInt64]
}

/// All three, as a service wants them to create the post.
public struct PostDetails: Sendable, Hashable {
  /// As the service answered.
  public let author: Author
  /// As the service answered.
  public let place: Place
  /// As the service answered.
  public let audience: Audience

  /// For the contender that writes `zip`: a service refuses a post whose details are not those that were looked up.
  public init(author: Author, place: Place, audience: Audience) {
    self.author = author
    self.place = place
    self.audience = audience
  }
}

extension Post {
  /// What the lookups answer: made from the post's id, so that a service can tell whether it got them back.
  var author: Author { Author(id: SeededGenerator.value(seed: id, index: PostDetail.author.rawValue)) }

  var place: Place {
    let value = SeededGenerator.value(seed: id, index: PostDetail.place.rawValue)
    return Place(latitude: Double(value % 180) - 90, longitude: Double(value / 180 % 360) - 180)
  }

  var audience: Audience {
    Audience(followers: [SeededGenerator.value(seed: id, index: PostDetail.audience.rawValue)])
  }

  var details: PostDetails { PostDetails(author: author, place: place, audience: audience) }
}

extension UploadService {
  /// Asks who posts. Fails with `LookupFailure`, or with `CancellationError` if it was cancelled.
  public func author(of post: Post, completion: @escaping Callback<Author>) -> any Cancellable {
    perform(.lookUp(.author)) { completion($0.map { _ in post.author }) }
  }

  /// Asks where it was taken. Fails with `LookupFailure`, or with `CancellationError` if it was cancelled.
  public func place(of post: Post, completion: @escaping Callback<Place>) -> any Cancellable {
    perform(.lookUp(.place)) { completion($0.map { _ in post.place }) }
  }

  /// Asks who may see it. Fails with `LookupFailure`, or with `CancellationError` if it was cancelled.
  public func audience(of post: Post, completion: @escaping Callback<Audience>) -> any Cancellable {
    perform(.lookUp(.audience)) { completion($0.map { _ in post.audience }) }
  }

  /// Creates the post from its details, which must be those that were looked up.
  public func createPost(
    _ post: Post, details: PostDetails, completion: @escaping Completion
  ) -> any Cancellable {
    createPost(post, receipts: []) { result in
      completion(
        result.flatMap { publication in
          details == post.details ? .success(publication) : .failure(WrongDetails(got: details))
        })
    }
  }
}

/// The details that came with a post are not those of the post.
public struct WrongDetails: Error, Sendable, CustomStringConvertible {
  let got: PostDetails

  public var description: String { "the post was to be created from wrong details: \(got)" }
}

/// A media that is ready to be uploaded: its bytes have been read and digested.
public struct PreparedMedia: Sendable, Hashable {
  /// What was prepared.
  public let media: Media
  /// `Checksum` of all bytes, as often as they were read.
  public let digest: UInt64

  /// Reads all bytes `passes` times, on the calling thread; throws `FileError`.
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
