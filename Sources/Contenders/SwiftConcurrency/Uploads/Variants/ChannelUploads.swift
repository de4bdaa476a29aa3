import Synchronization
import UploadScenario

/// A channel whose sender waits until there is room, in place of the contender's two streams.
struct ChannelUploads: PartialContender {
  let name = "swift-concurrency/channel"
  let summary = "a bounded channel of continuations, written by hand"
  let patterns = [Pattern.stream]

  func stream(
    _ media: Media, of post: Post, to service: some UploadService, buffer: Int, uploaders: Int,
    completion: @escaping Completion
  ) -> any Cancellable {
    start(completion) {
      // The chunk in the sender's hand is one of the buffer's.
      let chunks = Channel<Chunk>(capacity: max(0, buffer - 1))
      let receipts = try await withThrowingTaskGroup(of: [Receipt].self) { group in
        group.addTask {
          defer { chunks.finish() }
          let reader = try service.chunks(of: media)
          while let chunk = try reader.next() { try await chunks.send(chunk) }
          return []
        }
        for _ in 0..<uploaders {
          group.addTask {
            var receipts: [Receipt] = []
            while let chunk = try await chunks.next() { receipts.append(try await service.upload(chunk)) }
            return receipts
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      return try await service.createPost(post, receipts: receipts.sorted { $0.mediaIndex < $1.mediaIndex })
    }
  }
}

/// One sends, several receive. Whoever is cancelled ends it for all: they are tasks of one group.
private final class Channel<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var sender: (Element, CheckedContinuation<Void, any Error>)?
    var receivers: [CheckedContinuation<Element?, any Error>] = []
    var isFinished = false
    var isCancelled = false
  }

  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int) { self.capacity = capacity }

  func send(_ element: Element) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let resume = state.withLock { state -> (@Sendable () -> Void)? in
          if state.isCancelled { return { continuation.resume(throwing: CancellationError()) } }
          if !state.receivers.isEmpty {
            let receiver = state.receivers.removeFirst()
            return {
              receiver.resume(returning: element)
              continuation.resume()
            }
          }
          if state.elements.count < capacity {
            state.elements.append(element)
            return { continuation.resume() }
          }
          state.sender = (element, continuation)
          return nil
        }
        resume?()
      }
    } onCancel: {
      cancel()
    }
  }

  /// Nil once the sender has finished.
  func next() async throws -> Element? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Element?, any Error>) in
        let resume = state.withLock { state -> (@Sendable () -> Void)? in
          if state.isCancelled { return { continuation.resume(throwing: CancellationError()) } }
          let sender = state.sender
          if let sender {
            state.elements.append(sender.0)
            state.sender = nil
          }
          guard !state.elements.isEmpty else {
            if state.isFinished { return { continuation.resume(returning: nil) } }
            state.receivers.append(continuation)
            return nil
          }
          let element = state.elements.removeFirst()
          return {
            continuation.resume(returning: element)
            sender?.1.resume()
          }
        }
        resume?()
      }
    } onCancel: {
      cancel()
    }
  }

  func finish() {
    let receivers = state.withLock { state in
      defer { state.receivers = [] }
      state.isFinished = true
      return state.receivers
    }
    for receiver in receivers { receiver.resume(returning: nil) }
  }

  private func cancel() {
    let (sender, receivers) = state.withLock { state in
      defer { (state.elements, state.sender, state.receivers, state.isCancelled) = ([], nil, [], true) }
      return (state.sender?.1, state.receivers)
    }
    sender?.resume(throwing: CancellationError())
    for receiver in receivers { receiver.resume(throwing: CancellationError()) }
  }
}
