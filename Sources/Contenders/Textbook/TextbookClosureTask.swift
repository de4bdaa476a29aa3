import Dispatch
import Synchronization
import UploadScenario

/// A task is a closure with a controller. A group uses a dispatch group, and a sequence uses an index.
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
      // A sequence that succeeds has created the post, so `publication` is not `nil`.
      completion(outcome.map { publication.withLock { $0! } })
    }
    return NoHandle()
  }
}

/// An article's task: a closure with a controller, which Dispatch runs.
struct ClosureTask: Sendable {
  typealias Outcome = Result<Void, any Error>

  struct Controller: Sendable {
    let queue: DispatchQueue
    let handler: @Sendable (Outcome) -> Void

    func finish() { handler(.success(())) }
    func fail(with error: any Error) { handler(.failure(error)) }
  }

  let closure: @Sendable (Controller) -> Void

  func perform(on queue: DispatchQueue = .global(), then handler: @escaping @Sendable (Outcome) -> Void) {
    queue.async { closure(Controller(queue: queue, handler: handler)) }
  }

  static func group(_ tasks: [ClosureTask]) -> ClosureTask {
    ClosureTask { controller in
      let group = DispatchGroup()
      let firstError = Mutex<(any Error)?>(nil)
      for task in tasks {
        group.enter()
        task.perform(on: controller.queue) { outcome in
          if case .failure(let error) = outcome { firstError.withLock { $0 = $0 ?? error } }
          group.leave()
        }
      }
      group.notify(queue: controller.queue) {
        if let error = firstError.withLock({ $0 }) {
          controller.fail(with: error)
        } else {
          controller.finish()
        }
      }
    }
  }

  static func sequence(_ tasks: [ClosureTask]) -> ClosureTask {
    @Sendable func performNext(from index: Int, using controller: Controller) {
      guard index < tasks.count else { return controller.finish() }
      tasks[index].perform(on: controller.queue) { outcome in
        switch outcome {
        case .success: performNext(from: index + 1, using: controller)
        case .failure(let error): controller.fail(with: error)
        }
      }
    }
    return ClosureTask { performNext(from: 0, using: $0) }
  }
}
