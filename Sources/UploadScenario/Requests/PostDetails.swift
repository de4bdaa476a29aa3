/// What a post needs to know before it is created, each looked up by a request of its own: three results of three types.
public enum PostDetail: Int, Sendable, Hashable, CaseIterable {
  case author, place, audience
}

public struct Author: Sendable, Hashable {
  public let id: UInt64
  public init(id: UInt64) { self.id = id }
}

public struct Place: Sendable, Hashable {
  public let latitude: Double
  public let longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

public struct Audience: Sendable, Hashable {
  public let followers: [UInt64]
  public init(followers: [UInt64]) { self.followers = followers }
}

/// All three, as a service wants them to create the post.
public struct PostDetails: Sendable, Hashable {
  public let author: Author
  public let place: Place
  public let audience: Audience

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
