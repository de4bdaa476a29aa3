import UploadScenario

extension SwiftConcurrencyUploads {
  public func single(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable { publish(post, to: service, limit: 1, completion: completion) }
}
