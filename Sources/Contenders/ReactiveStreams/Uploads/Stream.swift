import Dispatch
import ReactiveStreams
import UploadScenario

extension ReactiveStreamUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    Publishers.Generate(from: { try service.chunks(of: media) }) { try $0.next() }
      .subscribe(on: DispatchQueue.global())
      .buffer(size: max(1, buffer), whenFull: .suspendUpstream)
      .concatMapEager(maxPublishers: .max(uploaders)) { service.perform(.uploadChunk($0)) }
      .collect()
      .flatMap { service.createPost(post, receipts: $0) }
      .subscribe(receiveResult: completion)
  }
}
