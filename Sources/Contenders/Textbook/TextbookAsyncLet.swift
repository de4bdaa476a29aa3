import UploadScenario

/// Three concurrent requests: each begins at its `async let` and is awaited where its result is used.
struct TextbookAsyncLet: TextbookShape {
  let name = "textbook/async-let"
  let summary = "an article's async let: three requests at once"
  let patterns = [Pattern.zip]

  func zip(_ post: Post, on service: some UploadService, completion: @escaping Completion) -> any Cancellable
  {
    Task {
      async let authorResponse = response { service.author(of: post, completion: $0) }
      async let placeResponse = response { service.place(of: post, completion: $0) }
      async let audienceResponse = response { service.audience(of: post, completion: $0) }
      do {
        let author = try await authorResponse
        let place = try await placeResponse
        let audience = try await audienceResponse
        let details = PostDetails(author: author, place: place, audience: audience)
        let publication = try await response { service.createPost(post, details: details, completion: $0) }
        completion(.success(publication))
      } catch { completion(.failure(error)) }
    }
    return NoHandle()
  }
}
