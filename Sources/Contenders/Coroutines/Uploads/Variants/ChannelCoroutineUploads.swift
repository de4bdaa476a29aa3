import Coroutines
import UploadScenario

/// Runs as many coroutines as the limit allows, which take media files from one channel.
struct ChannelCoroutineUploads: PartialContender {
  let name = "coroutines/channel"
  let summary = "a fixed set of coroutines that take media from a channel"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let channel = CoChannel<Media>()
      for media in post.media { try channel.awaitSend(media) }
      channel.close()
      let receipts = try CoGroup.run { group in
        try group.map(Array(0..<min(limit ?? .max, post.media.count))) { _ in
          var receipts: [Receipt] = []
          for media in channel { receipts.append(try service.perform(.upload(media))) }
          return receipts
        }
      }
      return try service.createPost(
        post, receipts: receipts.joined().sorted { $0.mediaIndex < $1.mediaIndex })
    }
  }
}
