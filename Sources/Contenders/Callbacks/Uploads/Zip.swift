import UploadScenario

extension CallbackUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = CallbackJob(lookingUp: post, on: service, completion: completion)
    job.work {
      job.lookUpAuthor()
      job.lookUpPlace()
      job.lookUpAudience()
    }
    return job
  }
}

/// The details of a post that have arrived.
struct Lookups: JobProgress {
  var author: Author?
  var place: Place?
  var audience: Audience?

  var areAllThere: Bool { author != nil && place != nil && audience != nil }

  func createPost(_ post: Post, on service: some UploadService, completion: @escaping Completion)
    -> any Cancellable
  {
    // Whoever creates the post has seen that they are there.
    let details = PostDetails(author: author!, place: place!, audience: audience!)
    return service.createPost(post, details: details, completion: completion)
  }
}

extension CallbackJob where Progress == Lookups {
  convenience init(lookingUp post: Post, on service: some UploadService, completion: @escaping Completion) {
    let places = PostDetail.allCases.count
    self.init(post, service: service, places: places, progress: Lookups(), completion: completion)
  }

  func lookUpAuthor(then next: @escaping @Sendable () -> Void = {}) {
    request(at: 0, { service.author(of: post, completion: $0) }) { lookups, author in
      lookups.author = author
      return lookups.areAllThere ? .createPost : .goOn
    } then: {
      next()
    }
  }

  func lookUpPlace(then next: @escaping @Sendable () -> Void = {}) {
    request(at: 1, { service.place(of: post, completion: $0) }) { lookups, place in
      lookups.place = place
      return lookups.areAllThere ? .createPost : .goOn
    } then: {
      next()
    }
  }

  func lookUpAudience() {
    request(at: 2, { service.audience(of: post, completion: $0) }) { lookups, audience in
      lookups.audience = audience
      return lookups.areAllThere ? .createPost : .wait
    }
  }
}
