import Dispatch
import UploadScenario

extension GCDGroupUploads {
  /// `gcd-groups/concurrent-perform`.
  public static let concurrentPerform: any Contender = ConcurrentPerformUploads()

  /// Other common forms.
  public static let variants: [any Contender] = [SemaphoreUploads(), WaitUploads()]
}

extension GroupJob {
  /// Starts an upload whenever a place is free, and blocks the calling thread until then.
  func feed(_ post: Post, to service: some UploadService, limit: Int?) {
    let places = DispatchSemaphore(value: min(limit ?? .max, post.media.count))
    for media in post.media {
      places.wait()
      if error != nil {
        // Dispatch ends the process if a semaphore is released with less than its first value.
        places.signal()
        return
      }
      group.enter()
      let handle = service.upload(media) { [self] result in
        switch result {
        case .success(let receipt): keep(receipt)
        case .failure(let error): fail(error)
        }
        places.signal()
        group.leave()
      }
      requests.add(handle)
    }
  }
}
