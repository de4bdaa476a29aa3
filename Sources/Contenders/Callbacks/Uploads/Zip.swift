import Synchronization
import UploadScenario

extension CallbackUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let all = Mutex<(author: Author?, place: Place?, audience: Audience?)>((nil, nil, nil))
    let job = Job([], completion) { _, completion in
      let details = all.withLock { PostDetails(author: $0.author!, place: $0.place!, audience: $0.audience!) }
      return service.createPost(post, details: details, completion: completion)
    }
    job.request({ service.author(of: post, completion: $0) }) { new in all.withLock { $0.author = new } }
    job.request({ service.place(of: post, completion: $0) }) { new in all.withLock { $0.place = new } }
    job.request({ service.audience(of: post, completion: $0) }) { new in all.withLock { $0.audience = new } }
    return job.run()
  }
}
