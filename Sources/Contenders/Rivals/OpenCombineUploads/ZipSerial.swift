#if OpenCombine
  import OpenCombine
  import UploadScenario

  extension OpenCombineUploads {
    public func zipSerial(
      _ post: Post, on service: some UploadService, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      let details = service.author(of: post)
        .flatMap { author in service.place(of: post).map { (author, $0) } }
        .flatMap { author, place in
          service.audience(of: post).map { PostDetails(author: author, place: place, audience: $0) }
        }
      return UploadJob(details.flatMap { service.createPost(post, details: $0) }, completion: completion)
    }
  }
#endif
