import UploadScenario

/// Three requests one after another: each begins after the answer to the previous one.
struct TextbookSerialAwait: TextbookShape {
  let name = "textbook/serial-await"
  let summary = "an article's await: three requests one after another"
  let patterns = [Pattern.zipSerial]

  func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    Task {
      do {
        let author = try await response { service.author(of: post, completion: $0) }
        let place = try await response { service.place(of: post, completion: $0) }
        let audience = try await response { service.audience(of: post, completion: $0) }
        let details = PostDetails(author: author, place: place, audience: audience)
        let publication = try await response { service.createPost(post, details: details, completion: $0) }
        completion(.success(publication))
      } catch { completion(.failure(error)) }
    }
    return NoHandle()
  }
}
