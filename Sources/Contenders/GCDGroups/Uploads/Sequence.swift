import UploadScenario

extension GCDGroupUploads {
  public func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupUploadJob(post, service: service, completion: completion)
    job.run { job.uploadNext() }
    return job
  }
}
