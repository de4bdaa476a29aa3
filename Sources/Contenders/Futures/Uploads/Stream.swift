import Dispatch
import Futures
import Synchronization
import UploadScenario

extension FutureUploads {
  public func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    let reading = DispatchQueue(label: "reading", target: .global())
    return reading.future { try service.chunks(of: media) }
      .flatMap { reader in
        let uploads = Limit(uploaders)
        // Each of them has one chunk at a time: it reads it, waits for its turn, uploads it and reads the next.
        @Sendable func uploadNext(after receipts: [Receipt]) -> Future<[Receipt]> {
          reading.future { try reader.next() }.flatMap { chunk in
            guard let chunk else { return Future(value: receipts) }
            return uploads.run { service.perform(.uploadChunk(chunk)) }
              .flatMap { uploadNext(after: receipts + [$0]) }
          }
        }
        return Future.all(0..<max(1, buffer) + uploaders) { _ in uploadNext(after: []) }
      }
      .map { $0.joined().sorted { $0.mediaIndex < $1.mediaIndex } }
      .flatMap { service.createPost(post, receipts: $0) }
      .report(to: completion)
  }
}

/// At most so many uploads at once; the others wait in line.
private final class Limit: Sendable {
  private let state: Mutex<(free: Int, waiting: [Promise<Void>])>

  init(_ count: Int) { state = Mutex((count, [])) }

  /// The upload, started once there is a place for it. One that fails keeps its place: it ends the job.
  func run(_ upload: @escaping @Sendable () -> Future<Receipt>) -> Future<Receipt> {
    place().flatMap(upload).map { receipt in
      self.leave()
      return receipt
    }
  }

  private func place() -> Future<Void> {
    state.withLock { state in
      guard state.free == 0 else {
        state.free -= 1
        return Future(value: ())
      }
      let promise = Promise<Void>()
      state.waiting.append(promise)
      return promise.future
    }
  }

  private func leave() {
    let next = state.withLock { state -> Promise<Void>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.succeed(())
  }
}
