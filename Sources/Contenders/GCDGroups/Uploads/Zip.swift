import UploadScenario

extension GCDGroupUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob(post, service: service, on: queue, progress: Lookups(), completion: completion)
    return job.run {
      job.request({ service.author(of: post, completion: $0) }) { found in job.change { $0.author = found } }
      job.request({ service.place(of: post, completion: $0) }) { found in job.change { $0.place = found } }
      job.request({ service.audience(of: post, completion: $0) }) { found in
        job.change { $0.audience = found }
      }
    } then: {
      // One is missing if the job has failed.
      guard let details = job.change({ $0.details }) ?? nil else { return }
      job.create { service.createPost(post, details: details, completion: $0) }
    }
  }
}

private struct Lookups: Sendable {
  var author: Author?
  var place: Place?
  var audience: Audience?

  var details: PostDetails? {
    guard let author, let place, let audience else { return nil }
    return PostDetails(author: author, place: place, audience: audience)
  }
}
