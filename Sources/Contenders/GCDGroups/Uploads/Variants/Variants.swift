import Dispatch
import UploadScenario

extension GCDGroupUploads {
  public static let concurrentPerform: any Contender = ConcurrentPerformUploads()

  public static let variants: [any Contender] = [SemaphoreUploads(), WaitUploads()]
}

extension GroupJob {
  /// Starts all uploads. While as many are in flight as the limit allows, the calling thread is blocked.
  func feed(_ post: Post, to service: some UploadService, limit: Int?) {
    let places = DispatchSemaphore(value: min(limit ?? .max, post.media.count))
    for media in post.media {
      places.wait()
      if error != nil {
        // Undoes the wait: Dispatch crashes the process if a semaphore is deallocated below its initial value.
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
