import Synchronization
import UploadScenario

extension CallbackUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let found = Mutex<PostDetails?>(nil)
    let job = Job([], completion) {
      service.createPost(post, details: found.withLock { $0! }, completion: $1)
    }
    job.request({ service.author(of: post, completion: $0) }) { author in
      job.request({ service.place(of: post, completion: $0) }) { place in
        job.request({ service.audience(of: post, completion: $0) }) { audience in
          found.withLock { $0 = PostDetails(author: author, place: place, audience: audience) }
        }
      }
    }
    return job.run()
  }
}
