import UploadScenario

extension GCDGroupUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob(post, service: service, on: queue, progress: (), completion: completion)
    return job.run {
      job.request({ service.author(of: post, completion: $0) }) { author in
        job.request({ service.place(of: post, completion: $0) }) { place in
          job.request({ service.audience(of: post, completion: $0) }) { audience in
            let details = PostDetails(author: author, place: place, audience: audience)
            job.create { service.createPost(post, details: details, completion: $0) }
          }
        }
      }
    }
  }
}
