import UploadScenario

extension OperationUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    // A queue with a limit of 1 is the documented serial queue. A chain of 20,000 dependencies took over 20 s on Linux.
    publish(post, to: service, limit: 1, completion: completion)
  }
}
