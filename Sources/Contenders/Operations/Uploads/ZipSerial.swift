import UploadScenario

extension OperationUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    lookUp(post, on: service, limit: 1, completion)
  }
}
