import Dispatch
import UploadScenario

extension CallbackUploads {
  public func presigned(
    _ post: Post, to service: some UploadService, limit: Int?, priority: PostPriority,
    completion: @escaping Completion
  ) -> any Cancellable {
    let job = Job(post.media, completion) { service.createPost(post, receipts: $0, completion: $1) }
    @Sendable func upload(_ media: Media) {
      DispatchQueue.global(qos: .init(priority)).async {
        goOn(with: Result { try job.check { try service.prepare(media) } }) { prepared in
          service.issueURL(for: prepared) { url in
            goOn(with: url) { service.perform(.uploadTo($0, prepared), completion: end) }
          }
        }
      }
    }
    @Sendable func goOn<Value>(with result: Result<Value, any Error>, _ start: (Value) -> any Cancellable) {
      do { job.keep(try job.check { start(try result.get()) }) } catch { end(.failure(error)) }
    }
    @Sendable func end(_ result: Result<Receipt, any Error>) {
      if let next = job.finish(result) { upload(next) }
    }
    return job.run(limit: limit, upload)
  }
}
