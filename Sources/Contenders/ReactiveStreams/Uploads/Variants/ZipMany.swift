import ReactiveStreams
import UploadScenario

struct ZipMany: PartialContender {
  let name = "reactive-streams/zip-many"
  let summary = "reactive streams: one publisher for each upload, zipped"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    // `zip` always subscribes to all publishers immediately. So with a limit, this variant runs the code of `reactive-streams`.
    if let limit {
      return ReactiveStreamUploads().publish(post, to: service, limit: limit, completion: completion)
    }
    return post.media.map { service.perform(.upload($0)) }.zip()
      .collect()
      .flatMap { service.createPost(post, receipts: $0.first ?? []) }
      .subscribe(receiveResult: completion)
  }
}
