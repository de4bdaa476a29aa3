import Exploration
import TestSupport

/// A continuation that counts its resumptions: a second real one would end the process.
final class Reply: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Bool, Never>?
    var answer: Bool?
    var count = 0
  }
  private let state = Guarded(State())

  var count: Int { state.withLock(\.count) }

  /// - Parameter keepsAnswer: whether an answer before the wait is kept.
  func wait(keepsAnswer: Bool = true) async -> Bool {
    await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> Bool? in
        if keepsAnswer, let answer = state.answer { return answer }
        state.continuation = continuation
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  func resume(_ answer: Bool) {
    let continuation = state.withLock { state in
      state.count += 1
      state.answer = state.answer ?? answer
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume(returning: answer)
  }
}

extension PlantedBug {
  static let ofContinuations: [PlantedBug] = [
    PlantedBug("kean/Nuke#671: a cancel before the task is registered", "waits forever") { _, isWrong in
      let reply = Reply()
      let registry = Registry()
      let load = Task {
        await withTaskCancellationHandler {
          await Task.yield()
          await registry.register(reply, keepsCancels: !isWrong)
          return await reply.wait()
        } onCancel: {
          Task { await registry.cancel() }
        }
      }
      load.cancel()
      _ = await load.value
    },
    PlantedBug("onevcat/Kingfisher#2384: a cancelled load never answers", "waits forever") { _, isWrong in
      let reply = Reply()
      let load = Task { await reply.wait() }
      let download = Task {
        await Task.yield()
        if isWrong, Task.isCancelled { return }
        reply.resume(!Task.isCancelled)
      }
      download.cancel()
      _ = await load.value
    },
    PlantedBug("onevcat/Kingfisher#1911: the callback comes again after a cancel", "Wrong") { _, isWrong in
      let reply = Reply()
      let isDone = Counter()
      async let loaded: Void = { if isDone.add() == 1 || isWrong { reply.resume(true) } }()
      async let cancelled: Void = { if isDone.add() == 1 || isWrong { reply.resume(false) } }()
      _ = await reply.wait()
      _ = await (loaded, cancelled)
      guard reply.count == 1 else { throw Wrong() }
    },
    PlantedBug("apple/swift-async-algorithms#80: a cancel of a channel that is idle", "waits forever") {
      _, isWrong in
      let reply = Reply()
      let send = Task {
        await withTaskCancellationHandler {
          await Task.yield()
          return await reply.wait(keepsAnswer: !isWrong)
        } onCancel: {
          reply.resume(false)
        }
      }
      send.cancel()
      _ = await send.value
    },
    PlantedBug("swiftlang/swift#71412: the end of a stream resumes one reader of many", "waits forever") {
      _, isWrong in
      let readers = Readers()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { await readers.next() } }
        group.addTask { await readers.finish(isWrong: isWrong) }
      }
    },
    PlantedBug("mhayes853/swift-cactus#31: a cancel and the end both resume", "Wrong") { _, isWrong in
      let reply = Reply()
      let download = Task { () -> Bool in
        await withTaskCancellationHandler {
          await reply.wait()
        } onCancel: {
          if isWrong || reply.count == 0 { reply.resume(false) }
        }
      }
      async let end: Void = { if isWrong || reply.count == 0 { reply.resume(true) } }()
      download.cancel()
      _ = await (download.value, end)
      guard reply.count == 1 else { throw Wrong() }
    },
    PlantedBug("jamesrochabrun/ClaudeCodeUI#79: the timeout and the stream both resume", "Wrong") {
      exploration, isWrong in
      let reply = Reply()
      let isResumed = Counter()
      @Sendable func resume(_ answer: Bool) { if isResumed.add() == 1 || isWrong { reply.resume(answer) } }
      async let timeout: Void? = {
        try? await exploration.clock.sleep(for: .seconds(25))
        resume(false)
      }()
      async let stream: Void? = {
        try? await exploration.clock.sleep(for: .seconds(25))
        resume(true)
      }()
      _ = await reply.wait()
      _ = await (timeout, stream)
      guard reply.count == 1 else { throw Wrong() }
    },
    PlantedBug("pnikolaidis/icemelt#41: a timeout cannot end a bare continuation", "waits forever") {
      exploration, isWrong in
      let reply = Reply()
      await withTaskGroup(of: Bool.self) { group in
        group.addTask {
          if isWrong { return await reply.wait() }
          return await withTaskCancellationHandler {
            await reply.wait()
          } onCancel: {
            reply.resume(false)
          }
        }
        group.addTask {
          try? await exploration.clock.sleep(for: .seconds(5))
          return false
        }
        _ = await group.next()
        group.cancelAll()
      }
    },
    PlantedBug("malcommac/SwiftLocation#382: a cancelled request is not resumed", "waits forever") {
      _, isWrong in
      let reply = Reply()
      // Its caller does not wait for it.
      Task(name: "location") {
        if isWrong {
          _ = await reply.wait()
        } else {
          _ = await withTaskCancellationHandler {
            await reply.wait()
          } onCancel: {
            reply.resume(false)
          }
        }
      }.cancel()
    },
    PlantedBug("openclaw/AXorcist#59: a cancel before the gate is there", "waits forever") { _, isWrong in
      let gate = Gate()
      async let waited: Void = gate.install(keepsCancels: !isWrong)
      async let cancelled: Void = gate.cancel()
      _ = await (waited, cancelled)
    },
  ]
}

private actor Registry {
  private var isCancelled = false
  private var reply: Reply?

  func register(_ reply: Reply, keepsCancels: Bool) {
    self.reply = reply
    if keepsCancels, isCancelled { reply.resume(false) }
  }
  func cancel() {
    isCancelled = true
    reply?.resume(false)
  }
}

private actor Readers {
  private var isFinished = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func next() async {
    if isFinished { return }
    await withCheckedContinuation { waiting.append($0) }
  }
  func finish(isWrong: Bool) {
    isFinished = true
    for one in isWrong ? Array(waiting.prefix(1)) : waiting { one.resume() }
    waiting = []
  }
}

private actor Gate {
  private var isCancelled = false
  private var waiting: CheckedContinuation<Void, Never>?

  func install(keepsCancels: Bool) async {
    await withCheckedContinuation { continuation in
      if keepsCancels, isCancelled { continuation.resume() } else { waiting = continuation }
    }
  }
  func cancel() {
    isCancelled = true
    waiting?.resume()
    waiting = nil
  }
}
