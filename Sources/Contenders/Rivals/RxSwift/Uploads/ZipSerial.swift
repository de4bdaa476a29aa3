#if RxSwift
  import RxSwift
  import UploadScenario

  extension RxSwiftUploads {
    public func zipSerial(
      _ post: Post, on service: some UploadService, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      RxJob(service).run(completion) { job in
        job.author(of: post)
          .flatMap { author in job.place(of: post).map { (author, $0) } }
          .flatMap { author, place in
            job.audience(of: post).map { PostDetails(author: author, place: place, audience: $0) }
          }
          .flatMap { job.createPost(post, details: $0) }
      }
    }
  }
#endif
