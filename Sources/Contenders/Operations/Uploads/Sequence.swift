import Foundation
import UploadScenario

extension OperationUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    // A queue of one is the documented serial queue. A chain of dependencies says the same, but with Foundation on
    // Linux one of 20 000 took more than 20 s.
    publish(post, to: service, limit: 1, completion: completion)
  }
}
