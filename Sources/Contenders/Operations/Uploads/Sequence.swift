import UploadScenario

extension OperationUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    // A queue of one is the documented serial queue; a chain of 20,000 dependencies took over 20 s on Linux.
    publish(post, to: service, limit: 1, completion: completion)
  }
}
