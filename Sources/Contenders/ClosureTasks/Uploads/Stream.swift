import ClosureTasks
import Dispatch
import Synchronization
import UploadScenario

extension ClosureTaskUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let reading = DispatchQueue(label: "reading", target: .global())
    return ClosureTask(on: reading) { try service.chunks(of: media) }
      .then { reader in
        let uploads = Limit(uploaders)
        // Each of the group has one chunk at a time: it reads it, waits for its turn, uploads it and reads the next.
        @Sendable func uploadNext(after receipts: [Receipt]) -> ClosureTask<[Receipt]> {
          ClosureTask(on: reading) { try reader.next() }.then { chunk in
            guard let chunk else { return ClosureTask { $0.finish(with: receipts) } }
            return uploads.run(service.perform(.uploadChunk(chunk)))
              .then { uploadNext(after: receipts + [$0]) }
          }
        }
        return ClosureTask.group(0..<max(1, buffer) + uploaders) { _ in uploadNext(after: []) }
      }
      .map { $0.joined().sorted { $0.mediaIndex < $1.mediaIndex } }
      .then { service.createPost(post, receipts: $0) }
      .perform(completion: completion)
  }
}

/// At most so many tasks at once; the others wait in line.
private final class Limit: Sendable {
  private let state: Mutex<(free: Int, waiting: [ClosureTask<Void>.Controller])>

  init(_ count: Int) { state = Mutex((count, [])) }

  /// The task, once there is a place for it. One that fails keeps its place: its group has ended.
  func run(_ task: ClosureTask<Receipt>) -> ClosureTask<Receipt> {
    ClosureTask { self.enter($0) }
      .then { task }
      .map { receipt in
        self.leave()
        return receipt
      }
  }

  private func enter(_ controller: ClosureTask<Void>.Controller) {
    let hasPlace = state.withLock { state in
      guard state.free == 0 else {
        state.free -= 1
        return true
      }
      state.waiting.append(controller)
      return false
    }
    if hasPlace { controller.finish() }
  }

  private func leave() {
    let next = state.withLock { state -> ClosureTask<Void>.Controller? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.finish()
  }
}
