import Synchronization
import UploadScenario

extension GCDGroupUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob()
    let all = Mutex<(author: Author?, place: Place?, audience: Audience?)>((nil, nil, nil))
    job.request({ service.author(of: post, completion: $0) }) { new in all.withLock { $0.author = new } }
    job.request({ service.place(of: post, completion: $0) }) { new in all.withLock { $0.place = new } }
    job.request({ service.audience(of: post, completion: $0) }) { new in all.withLock { $0.audience = new } }
    return job.notify(completion) {
      let (author, place, audience) = all.withLock { ($0.author!, $0.place!, $0.audience!) }
      let details = PostDetails(author: author, place: place, audience: audience)
      return service.createPost(post, details: details, completion: $0)
    }
  }
}
