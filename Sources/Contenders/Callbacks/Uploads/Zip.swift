import Synchronization
import UploadScenario

extension CallbackUploads {
  public func zip(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let found = Mutex<(author: Author?, place: Place?, audience: Audience?)>((nil, nil, nil))
    let job = Job([], completion) { _, completion in
      let (author, place, audience) = found.withLock { ($0.author!, $0.place!, $0.audience!) }
      let details = PostDetails(author: author, place: place, audience: audience)
      return service.createPost(post, details: details, completion: completion)
    }
    job.request({ service.author(of: post, completion: $0) }) { new in found.withLock { $0.author = new } }
    job.request({ service.place(of: post, completion: $0) }) { new in found.withLock { $0.place = new } }
    job.request({ service.audience(of: post, completion: $0) }) { new in found.withLock { $0.audience = new }
    }
    return job.run()
  }
}
