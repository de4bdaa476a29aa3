#if RxSwift
  import RxSwift
  import UploadScenario

  extension RxSwiftUploads {
    public func zip(
      _ post: Post, on service: some UploadService, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      RxJob(service).run(completion) { job in
        Single.zip(job.author(of: post), job.place(of: post), job.audience(of: post)) {
          PostDetails(author: $0, place: $1, audience: $2)
        }
        .flatMap { job.createPost(post, details: $0) }
      }
    }
  }
#endif
