import Synchronization
import UploadScenario

extension GCDGroupUploads {
  public func zipSerial(
    _ post: Post, on service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    let job = GroupJob()
    let all = Mutex<PostDetails?>(nil)
    job.request({ service.author(of: post, completion: $0) }) { author in
      job.request({ service.place(of: post, completion: $0) }) { place in
        job.request({ service.audience(of: post, completion: $0) }) { audience in
          all.withLock { $0 = PostDetails(author: author, place: place, audience: audience) }
        }
      }
    }
    return job.notify(completion) { service.createPost(post, details: all.withLock { $0! }, completion: $0) }
  }
}
