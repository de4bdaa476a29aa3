import UploadScenario

extension GCDGroupUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = LookupJob(post, service: service, completion: completion)
    job.run {
      job.lookUpAuthor()
      job.lookUpPlace()
      job.lookUpAudience()
    }
    return job
  }
}
