import UploadScenario

extension CallbackUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = CallbackJob(lookingUp: post, on: service, completion: completion)
    job.lookUpAuthor { job.lookUpPlace { job.lookUpAudience() } }
    return job
  }
}
