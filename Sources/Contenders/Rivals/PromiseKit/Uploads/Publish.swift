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

  extension PromiseJob {
    /// The receipts in the order of the media; at most `limit` uploads are in flight.
    func uploads(_ media: [Media], limit: Int?) -> Promise<[Receipt]> {
      guard let limit else { return when(fulfilled: media.map(upload)) }
      // All on the job's queue: PromiseKit looks for a free place and takes it in two steps, and starts the next upload
      // in a call from the one before. `map` would pass a failure on where it is told: perhaps inside that call, where
      // PromiseKit then waits for itself.
      return queue.async(.promise) { [queue] in
        media.lazy.map { self.upload($0).ensure(on: queue) {} }.makeIterator()
      }.then(on: queue) {
        when(fulfilled: $0, concurrently: limit)
      }
    }
  }
#endif
