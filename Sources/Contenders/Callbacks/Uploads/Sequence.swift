import UploadScenario

extension CallbackUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    publish(post, to: service, limit: 1, completion: completion)
  }
}
