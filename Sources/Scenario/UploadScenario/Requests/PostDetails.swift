/// The details of a post. Each has its own lookup request and its own result type.
public enum PostDetail: Int, Sendable, Hashable, CaseIterable {
  /// Who posts: ``Author``.
  case author
  /// Where the photos were taken: ``Place``.
  case place
  /// Who may see the post: ``Audience``.
  case audience
}

/// Who posts.
public struct Author: Sendable, Hashable {
  /// The author's id, derived from the post's id so that a service can check it.
  public let id: UInt64
}

/// The place where the photos of a post were taken.
public struct Place: Sendable, Hashable {
  /// The latitude in degrees, from -90 to 90.
  public let latitude: Double
  /// The longitude in degrees, from -180 to 180.
  public let longitude: Double
}

/// Who may see a post.
public struct Audience: Sendable, Hashable {
  /// The ids of the author's followers.
  public let followers: [UInt64]
}

/// The three details that create a post.
public struct PostDetails: Sendable, Hashable {
  /// The author that the service has returned.
  public let author: Author
  /// The place that the service has returned.
  public let place: Place
  /// The audience that the service has returned.
  public let audience: Audience

  /// Creates details. A service refuses a post whose details differ from its answers.
  public init(author: Author, place: Place, audience: Audience) {
    self.author = author
    self.place = place
    self.audience = audience
  }
}

extension Post {
  // The correct answers to the lookups are derived from the post's id, so that services can check them.
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
  /// Looks up the author. Fails with `LookupFailure`, or with `CancellationError` after `cancel`.
  public func author(of post: Post, completion: @escaping Callback<Author>) -> any Cancellable {
    perform(.lookUp(.author)) { completion($0.map { _ in post.author }) }
  }

  /// Looks up the place. Fails with `LookupFailure`, or with `CancellationError` after `cancel`.
  public func place(of post: Post, completion: @escaping Callback<Place>) -> any Cancellable {
    perform(.lookUp(.place)) { completion($0.map { _ in post.place }) }
  }

  /// Looks up the audience. Fails with `LookupFailure`, or with `CancellationError` after `cancel`.
  public func audience(of post: Post, completion: @escaping Callback<Audience>) -> any Cancellable {
    perform(.lookUp(.audience)) { completion($0.map { _ in post.audience }) }
  }

  /// Creates the post from details, which must be the service's answers.
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

/// The error if a post was requested with wrong details.
public struct WrongDetails: Error, Sendable, CustomStringConvertible {
  let got: PostDetails

  public var description: String { "the post was requested with wrong details: \(got)" }
}

/// A media file that is ready to upload: all its bytes have been read for a digest.
public struct PreparedMedia: Sendable, Hashable {
  /// The media file that was prepared.
  public let media: Media
  /// The `Checksum` of all bytes, repeated for each pass.
  public let digest: UInt64

  /// Reads all bytes `passes` times on the calling thread. Throws `FileError`.
  public init(_ media: Media, passes: Int) throws {
    var checksum = Checksum()
    for _ in 0..<passes {
      var reader = try MediaReader(media)
      try reader.readAll { checksum.update($0) }
    }
    self.media = media
    digest = checksum.value
  }

  /// The receipt that proves that the media file was prepared and arrived.
  public var receipt: Receipt {
    Receipt(mediaIndex: media.index, byteCount: media.byteCount, checksum: digest)
  }
}

/// The upload URL of one prepared media file.
public struct UploadURL: Sendable, Hashable {
  /// A number derived from the digest and the index, so that a service recognises its own URL.
  public let token: UInt64

  /// Creates the URL from the token in a service's answer.
  public init(token: UInt64) { self.token = token }

  /// Creates the URL that a service issues for a media file.
  public init(for prepared: PreparedMedia) {
    token = SeededGenerator.value(seed: prepared.digest, index: prepared.media.index)
  }
}
