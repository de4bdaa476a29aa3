import Foundation
import UploadScenario

/// The caller is isolated to a global actor with a thread of its own, as most code of an application is to the main actor.
///
/// Not to the main actor itself: the kit waits for the post on its thread, so no task could run there.
struct GlobalActorUploads: PartialContender {
  let name = "swift-concurrency/global-actor"
  let summary =
    "a throwing task group asked for by a global actor with a thread of its own, as the main actor has"
  let patterns = [Pattern.publish, .sequence]

  func publish(
    _ post: Post, to service: some UploadService, limit: Int?, completion: @escaping Completion
  ) -> any Cancellable {
    startOnActor(completion) { @UploadActor in
      let receipts = try await withThrowingTaskGroup(of: Receipt.self) { group in
        var receipts = [Receipt?](repeating: nil, count: post.media.count)
        for media in post.media {
          if media.index >= limit ?? .max, let receipt = try await group.next() {
            receipts[receipt.mediaIndex] = receipt
          }
          group.addTask { try await service.upload(media) }
        }
        for try await receipt in group { receipts[receipt.mediaIndex] = receipt }
        return receipts.compactMap { $0 }
      }
      return try await service.createPost(post, receipts: receipts)
    }
  }

  func sequence(
    _ post: Post, to service: some UploadService, completion: @escaping Completion
  ) -> any Cancellable {
    startOnActor(completion) { @UploadActor in
      var receipts: [Receipt] = []
      for media in post.media { receipts.append(try await service.upload(media)) }
      return try await service.createPost(post, receipts: receipts)
    }
  }

  private func startOnActor(
    _ completion: @escaping Completion,
    _ body: @escaping @UploadActor @Sendable () async throws -> Publication
  ) -> any Cancellable {
    TaskHandle(task: Task { @UploadActor in completion(await resultOnActor(of: body)) })
  }
}

@UploadActor private func resultOnActor(
  of body: @UploadActor () async throws -> Publication
) async -> Result<Publication, any Error> {
  do { return .success(try await body()) } catch { return .failure(error) }
}

@globalActor private actor UploadActor {
  static let shared = UploadActor()
  private let thread = ThreadExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
}

/// A thread that runs what is in its list, for ever.
///
/// `@unchecked Sendable`: `jobs` is touched under `condition` only.
private final class ThreadExecutor: SerialExecutor, @unchecked Sendable {
  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []

  init() { Thread.detachNewThread { [self] in while true { run(next()) } } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock { jobs.append(job) }
    condition.signal()
  }

  private func next() -> [UnownedJob] {
    condition.withLock {
      while jobs.isEmpty { condition.wait() }
      defer { jobs.removeAll() }
      return jobs
    }
  }

  private func run(_ jobs: [UnownedJob]) {
    for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}
