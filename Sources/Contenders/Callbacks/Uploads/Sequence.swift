import UploadScenario

extension CallbackUploads {
  /// Uploads one media file at a time: the end of each upload starts the next.
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    publish(post, to: service, limit: 1, completion: completion)
  }
}
