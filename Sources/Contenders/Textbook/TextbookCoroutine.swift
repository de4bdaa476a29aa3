import Coroutines
import Dispatch
import UploadScenario

/// A coroutine that starts a future for each upload and awaits one after another, in a scope that cancels them.
struct TextbookCoroutine: TextbookShape {
  let name = "textbook/coroutine"
  let summary = "a library's page on coroutines: startCoroutine, a future for each upload, await, a scope"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any UploadScenario.Cancellable {
    let scope = CoScope()
    DispatchQueue.global().startCoroutine(in: scope) {
      do {
        let uploads = post.media.map { media in
          makeFuture { service.upload(media, completion: $0) }.added(to: scope)
        }
        let receipts = try uploads.map { try $0.await() }
        let publication = makeFuture { service.createPost(post, receipts: receipts, completion: $0) }
        completion(.success(try publication.added(to: scope).await()))
      } catch { completion(.failure(error)) }
    }
    return scope
  }
}
