import Dispatch
import Synchronization
import UploadScenario

/// A task around a closure with a controller; a group by a dispatch group, a sequence by an index.
struct TextbookClosureTask: TextbookShape {
  let name = "textbook/closure-task"
  let summary = "an article's task closures: perform(on:then:), group and sequence over Dispatch"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    let receipts = Mutex([Receipt?](repeating: nil, count: post.media.count))
    let publication = Mutex<Publication?>(nil)
    let uploads = post.media.map { media in
      ClosureTask { controller in
        _ = service.upload(media) { result in
          switch result {
          case .success(let receipt):
            receipts.withLock { $0[media.index] = receipt }
            controller.finish()
          case .failure(let error): controller.fail(with: error)
          }
        }
      }
    }
    let creation = ClosureTask { controller in
      let receipts = receipts.withLock { $0.compactMap { $0 } }
      _ = service.createPost(post, receipts: receipts) { result in
        switch result {
        case .success(let new):
          publication.withLock { $0 = new }
          controller.finish()
        case .failure(let error): controller.fail(with: error)
        }
      }
    }
    ClosureTask.sequence([.group(uploads), creation]).perform { outcome in
      // A sequence that has succeeded has created the post.
      completion(outcome.map { publication.withLock { $0! } })
    }
    return NoHandle()
  }
}
