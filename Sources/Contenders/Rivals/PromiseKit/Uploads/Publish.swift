#if PromiseKit
  import PromiseKit
  import UploadScenario

  extension PromiseKitUploads {
    public func publish(
      _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
    ) -> any Cancellable {
      PromiseJob(service).run(completion) { job in
        job.uploads(post.media, limit: limit).then(on: job.queue) { job.createPost(post, receipts: $0) }
      }
    }
  }
#endif
