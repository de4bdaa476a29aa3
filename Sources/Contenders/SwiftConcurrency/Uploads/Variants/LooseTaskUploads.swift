import Synchronization
import UploadScenario

/// Unstructured tasks instead of a group. `LooseTasks` stores the first failure and cancels the other tasks.
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
        // The limit is the number of tasks, because each task uploads one media file after another.
        for _ in post.media.prefix(limit ?? post.media.count) {
          tasks.add { try await service.upload($0) }
        }
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
    var waiting: ArraySlice<Media>
    var tasks: [Task<[Receipt], any Error>] = []
    var error: (any Error)?
  }

  private let state: Mutex<State>

  init(_ media: [Media]) { state = Mutex(State(waiting: media[...])) }

  func add(_ upload: @escaping @Sendable (Media) async throws -> Receipt) {
    let task = Task {
      do {
        var receipts: [Receipt] = []
        while let media = next() { receipts.append(try await upload(media)) }
        return receipts
      } catch {
        stop(because: error)
        throw error
      }
    }
    let isStopped = state.withLock { state in
      state.tasks.append(task)
      return state.error != nil
    }
    if isStopped { task.cancel() }
  }

  private func next() -> Media? { state.withLock { $0.waiting.popFirst() } }

  /// The receipts of all tasks. Every task is awaited, even if it was cancelled.
  var receipts: [Receipt] {
    get async throws {
      var receipts: [Receipt] = []
      for task in state.withLock({ $0.tasks }) { receipts += (try? await task.value) ?? [] }
      if let error = state.withLock({ $0.error }) { throw error }
      return receipts
    }
  }

  func stop(because error: any Error) {
    let tasks = state.withLock { state -> [Task<[Receipt], any Error>] in
      if state.error != nil { return [] }
      state.error = error
      return state.tasks
    }
    for task in tasks { task.cancel() }
  }
}
