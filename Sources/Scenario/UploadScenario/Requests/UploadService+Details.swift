extension UploadService {
  /// Asks who posts. Fails with `LookupFailure`, or with `CancellationError` if it was cancelled.
  public func author(
    of post: Post, completion: @escaping @Sendable (Result<Author, any Error>) -> Void
  ) -> any Cancellable {
    perform(.lookUp(.author)) { completion($0.map { _ in post.author }) }
  }

  /// Asks where it was taken. Fails with `LookupFailure`, or with `CancellationError` if it was cancelled.
  public func place(
    of post: Post, completion: @escaping @Sendable (Result<Place, any Error>) -> Void
  ) -> any Cancellable {
    perform(.lookUp(.place)) { completion($0.map { _ in post.place }) }
  }

  /// Asks who may see it. Fails with `LookupFailure`, or with `CancellationError` if it was cancelled.
  public func audience(
    of post: Post, completion: @escaping @Sendable (Result<Audience, any Error>) -> Void
  ) -> any Cancellable {
    perform(.lookUp(.audience)) { completion($0.map { _ in post.audience }) }
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
