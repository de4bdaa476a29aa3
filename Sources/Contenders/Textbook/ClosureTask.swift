import Dispatch
import Synchronization
import UploadScenario

/// An article's task: a closure with a controller, and Dispatch underneath.
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
