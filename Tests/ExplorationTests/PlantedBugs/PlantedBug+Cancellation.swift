import Exploration
import TestSupport

extension PlantedBug {
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
          // A failure is retried beside the next one.
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
    PlantedBug("a race in which the loser posts, too", "Wrong") { _, isWrong in
      let (posts, ends) = (Counter(), Counter())
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask {
            await Task.yield()
            let isFirst = ends.add() == 1
            // The winner may not have cancelled it yet.
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
