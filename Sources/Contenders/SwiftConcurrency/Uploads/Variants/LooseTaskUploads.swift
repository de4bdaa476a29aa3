import Synchronization
import UploadScenario

/// An array of unstructured tasks, awaited in order: who stops them, and which failure came first, is for their owner to say.
struct LooseTaskUploads: PartialContender {
  let name = "swift-concurrency/loose-tasks"
  let summary = "an array of unstructured tasks, awaited in order"
  let patterns = [Pattern.publish]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      let tasks = LooseTasks(post.media)
      let receipts = try await withTaskCancellationHandler {
        // A task that ends starts no other, so the limit is the number of tasks.
        for _ in 0..<min(limit ?? .max, post.media.count) { tasks.add { try await service.upload($0) } }
        return try await tasks.receipts
      } onCancel: {
        tasks.stop(because: CancellationError())
      }
      return try await service.createPost(post, receipts: receipts.sorted { $0.mediaIndex < $1.mediaIndex })
    }
  }
}

private final class LooseTasks: Sendable {
  private struct State {
    var waiting: IndexingIterator<[Media]>
    var tasks: [Task<[Receipt], any Error>] = []
    var error: (any Error)?
  }

  private let state: Mutex<State>

  init(_ media: [Media]) { state = Mutex(State(waiting: media.makeIterator())) }

  func add(_ upload: @escaping @Sendable (Media) async throws -> Receipt) {
    let task = Task {
      var receipts: [Receipt] = []
      do {
        while let media = next() { receipts.append(try await upload(media)) }
      } catch {
        stop(because: error)
        throw error
      }
      return receipts
    }
    let isStopped = state.withLock { state in
      state.tasks.append(task)
      return state.error != nil
    }
    if isStopped { task.cancel() }
  }

  /// Waits for all, those that were cancelled, too.
  var receipts: [Receipt] {
    get async throws {
      var receipts: [Receipt] = []
      for task in state.withLock({ $0.tasks }) { receipts += (try? await task.value) ?? [] }
      if let error = state.withLock({ $0.error }) { throw error }
      return receipts
    }
  }

  /// What comes first is why.
  func stop(because error: any Error) {
    let tasks = state.withLock { state in
      defer { state.error = state.error ?? error }
      return state.error == nil ? state.tasks : []
    }
    for task in tasks { task.cancel() }
  }

  private func next() -> Media? { state.withLock { $0.waiting.next() } }
}
