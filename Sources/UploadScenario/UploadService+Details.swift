extension UploadService {
  public func author(
    of post: Post, completion: @escaping @Sendable (Result<Author, any Error>) -> Void
  ) -> any Cancellable {
    lookUp(.author, of: post) { completion($0.map { post.author }) }
  }

  public func place(
    of post: Post, completion: @escaping @Sendable (Result<Place, any Error>) -> Void
  ) -> any Cancellable {
    lookUp(.place, of: post) { completion($0.map { post.place }) }
  }

  public func audience(
    of post: Post, completion: @escaping @Sendable (Result<Audience, any Error>) -> Void
  ) -> any Cancellable {
    lookUp(.audience, of: post) { completion($0.map { post.audience }) }
  }

  /// Creates the post from its details, which must be those that were looked up.
  public func createPost(
    _ post: Post, details: PostDetails,
    completion: @escaping @Sendable (Result<Publication, any Error>) -> Void
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
