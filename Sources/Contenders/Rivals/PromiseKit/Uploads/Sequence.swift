#if PromiseKit
  import PromiseKit
  import UploadScenario

  extension PromiseKitUploads {
    public func sequence(
      _ post: Post, to service: some UploadService, completion: @escaping Completion
    ) -> any Cancellable {
      PromiseJob(service).run(completion) { job in
        job.uploads(post.media, limit: 1).then(on: job.queue) { job.createPost(post, receipts: $0) }
      }
    }
  }
#endif
