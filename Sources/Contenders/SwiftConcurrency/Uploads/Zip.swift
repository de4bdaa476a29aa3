import UploadScenario

extension SwiftConcurrencyUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    start(on: executor, completion) {
      // `async let` reads better, but awaits the author before it notices that the place has failed.
      let details = try await withThrowingTaskGroup(of: Detail.self) { group in
        group.addTask { .author(try await service.author(of: post)) }
        group.addTask { .place(try await service.place(of: post)) }
        group.addTask { .audience(try await service.audience(of: post)) }
        return try await group.collectDetails()
      }
      return try await service.createPost(post, details: details)
    }
  }
}

/// What the child tasks of a group have in common.
enum Detail {
  case author(Author)
  case place(Place)
  case audience(Audience)
}

extension ThrowingTaskGroup<Detail, any Error> {
  mutating func collectDetails() async throws -> PostDetails {
    var (author, place, audience): (Author?, Place?, Audience?)
    for try await detail in self {
      switch detail {
      case .author(let value): author = value
      case .place(let value): place = value
      case .audience(let value): audience = value
      }
    }
    return PostDetails(author: author!, place: place!, audience: audience!)
  }
}
