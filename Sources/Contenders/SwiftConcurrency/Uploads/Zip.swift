import UploadScenario

extension SwiftConcurrencyUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      // Three `async let`s would be shorter. But they are awaited in order, so a failure of the second would be noticed late.
      let details = try await withThrowingTaskGroup(of: Detail.self) { group in
        group.addTask { .author(try await answer { service.author(of: post, completion: $0) }) }
        group.addTask { .place(try await answer { service.place(of: post, completion: $0) }) }
        group.addTask { .audience(try await answer { service.audience(of: post, completion: $0) }) }
        var (author, place, audience): (Author?, Place?, Audience?)
        for try await detail in group {
          switch detail {
          case .author(let value): author = value
          case .place(let value): place = value
          case .audience(let value): audience = value
          }
        }
        return PostDetails(author: author!, place: place!, audience: audience!)
      }
      return try await answer { service.createPost(post, details: details, completion: $0) }
    }
  }
}

private enum Detail { case author(Author), place(Place), audience(Audience) }
