import UploadScenario

extension OperationUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    // None needs the value of another, so that a queue of one does without dependencies.
    lookUp(post, on: service, limit: 1, completion)
  }
}
