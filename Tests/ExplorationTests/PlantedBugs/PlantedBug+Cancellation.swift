import Exploration
import TestSupport
import Synchronization

extension PlantedBug {
  /// Failures and cancellations that meet something else.
  static let ofCancellation: [PlantedBug] = [
    PlantedBug("a limit that a failure opens", "Wrong") { _, isWrong in
      let (running, most) = (Counter(), Guarded(0))
      await withTaskGroup(of: Bool.self) { group in
        @Sendable func work(_ index: Int) async -> Bool {
          let now = running.add()
          most.withLock { $0 = max($0, now) }
          await Task.yield()
          running.add(-1)
          return index != 0
        }
        for index in 0..<2 { group.addTask { await work(index) } }
        var next = 2
        while let isDone = await group.next() {
          // Who fails is tried again, beside the next one.
          if !isDone, isWrong { group.addTask { await work(1) } }
          if next < 4 {
            let index = next
            group.addTask { await work(index) }
            next += 1
          }
        }
      }
      guard most.withLock({ $0 }) <= 2 else { throw Wrong() }
    },
    PlantedBug("a cancellation that meets the end", "Wrong") { _, isWrong in
      let ends = Counter()
      let isEnded = Guarded(false)
      @Sendable func end() async {
        if isWrong {
          if isEnded.withLock({ $0 }) { return }
          await Task.yield()
          isEnded.withLock { $0 = true }
          ends.add()
        } else if isEnded.withLock({ isEnded in
          defer { isEnded = true }
          return !isEnded
        }) {
          ends.add()
        }
      }
      async let finished: Void = end()
      async let cancelled: Void = end()
      _ = await (finished, cancelled)
      guard ends.current == 1 else { throw Wrong() }
    },
    PlantedBug("a continuation that is not resumed after a cancellation", "no task will do") {
      _, isWrong in
      let waiting = Guarded<CheckedContinuation<Void, Never>?>(nil)
      let isCancelled = Guarded(false)
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          await withTaskCancellationHandler {
            await Task.yield()
            await withCheckedContinuation { continuation in
              waiting.withLock { $0 = continuation }
              // The handler may have run before.
              if !isWrong, isCancelled.withLock({ $0 }) { waiting.withLock { $0.take() }?.resume() }
            }
          } onCancel: {
            isCancelled.withLock { $0 = true }
            waiting.withLock { $0.take() }?.resume()
          }
        }
        await Task.yield()
        group.cancelAll()
      }
    },
    PlantedBug("a permit that is lost with a cancelled task", "no task will do") { _, isWrong in
      let permits = Permits()
      await withTaskGroup(of: Void.self) { group in
        group.addTask { if await permits.take() { permits.give() } }
        await withTaskGroup(of: Void.self) { cancelled in
          cancelled.addTask {
            guard await permits.take() else { return }
            // What it wanted the permit for is not wanted any more, but the permit is.
            if isWrong, Task.isCancelled { return }
            permits.give()
          }
          cancelled.cancelAll()
        }
        if await permits.take() { permits.give() }
      }
    },
    PlantedBug("a race in which the loser posts, too", "Wrong") { _, isWrong in
      let (posts, ends) = (Counter(), Counter())
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask {
            await Task.yield()
            let isFirst = ends.add() == 1
            // The winner's cancellation has yet to come.
            if isWrong ? !Task.isCancelled : isFirst { posts.add() }
          }
        }
        await group.next()
        group.cancelAll()
      }
      guard posts.current == 1 else { throw Wrong() }
    },
    PlantedBug("a retry after a cancellation", "Wrong") { _, isWrong in
      let attempts = Counter()
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          for _ in 0..<2 {
            attempts.add()
            await Task.yield()
            if !Task.isCancelled || !isWrong { return }
          }
        }
        await Task.yield()
        group.cancelAll()
      }
      guard attempts.current == 1 else { throw Wrong() }
    },
  ]
}

private final class Permits: Sendable {
  private let state = Mutex(
    (isFree: true, waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)]()))
  private let ids = Counter()

  /// False: whoever waited is cancelled.
  func take() async -> Bool {
    let id = ids.add()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer: Bool? = state.withLock { state in
          if state.isFree {
            state.isFree = false
            return true
          }
          if Task.isCancelled { return false }
          state.waiting.append((id, continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
        state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
      }
      waiting?.resume(returning: false)
    }
  }

  func give() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      if state.waiting.isEmpty {
        state.isFree = true
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
