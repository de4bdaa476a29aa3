import UploadScenario

extension CallbackUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = CallbackJob(lookingUp: post, on: service, completion: completion)
    job.lookUpAuthor()
    job.lookUpPlace()
    job.lookUpAudience()
    return job
  }
}

/// The details of a post that have arrived.
struct Lookups: Sendable {
  var author: Author?
  var place: Place?
  var audience: Audience?

  /// All three, once they are there.
  var details: PostDetails? {
    guard let author, let place, let audience else { return nil }
    return PostDetails(author: author, place: place, audience: audience)
  }
}

extension CallbackJob where Progress == Lookups {
  convenience init(lookingUp post: Post, on service: Service, completion: @escaping Completion) {
    let places = PostDetail.allCases.count
    self.init(post, service: service, places: places, progress: Lookups(), completion: completion)
  }

  func lookUpAuthor(then next: @escaping @Sendable () -> Void = {}) {
    let place = PostDetail.author.rawValue
    request(at: place, { service.author(of: post, completion: $0) }) { self.arrive(\.author, $0, next) }
  }

  func lookUpPlace(then next: @escaping @Sendable () -> Void = {}) {
    let place = PostDetail.place.rawValue
    request(at: place, { service.place(of: post, completion: $0) }) { self.arrive(\.place, $0, next) }
  }

  func lookUpAudience() {
    let place = PostDetail.audience.rawValue
    request(at: place, { service.audience(of: post, completion: $0) }) { self.arrive(\.audience, $0, {}) }
  }

  /// What arrives last goes on to the post.
  private func arrive<Detail>(
    _ detail: WritableKeyPath<Lookups, Detail?>, _ result: Result<Detail, any Error>, _ next: () -> Void
  ) {
    switch result {
    case .failure(let error): fail(error)
    case .success(let value):
      let details = change { lookups in
        lookups[keyPath: detail] = value
        return lookups.details
      }
      guard case .some(.some(let details)) = details else { return next() }
      createPost { service.createPost(post, details: details, completion: $0) }
    }
  }
}
