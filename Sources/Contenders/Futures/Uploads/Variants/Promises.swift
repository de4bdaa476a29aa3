import Futures
import UploadScenario

/// A promise held in hand for each upload, answered in its completion; then all of their futures.
struct Promises: PartialContender {
  let name = "futures/promises"
  let summary = "futures: a promise held for each upload, then all of their futures"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let publication = Future.all(post.media, limit: limit) { media in
      let uploaded = Promise<Receipt>()
      let upload = service.upload(media) { result in uploaded.complete(with: result) }
      uploaded.onCancel { upload.cancel() }
      return uploaded.future
    }
    .flatMap { receipts in
      let posted = Promise<Publication>()
      let request = service.createPost(post, receipts: receipts) { result in posted.complete(with: result) }
      posted.onCancel { request.cancel() }
      return posted.future
    }
    publication.whenComplete(completion)
    return publication
  }
}
