#if PromiseKit
  import PromiseKit
  import UploadScenario

  extension PromiseKitUploads {
    public func zipSerial(
      _ post: Post, on service: some UploadService, completion: @escaping Completion
    ) -> any Cancellable {
      PromiseJob(service).run(completion) { job in
        firstly {
          job.author(of: post)
        }.then(on: job.queue) { author in
          job.place(of: post).map(on: job.queue) { (author, $0) }
        }.then(on: job.queue) { author, place in
          job.audience(of: post).map(on: job.queue) {
            PostDetails(author: author, place: place, audience: $0)
          }
        }.then(on: job.queue) {
          job.createPost(post, details: $0)
        }
      }
    }
  }
#endif
