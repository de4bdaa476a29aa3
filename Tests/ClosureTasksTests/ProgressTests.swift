import ClosureTasks
import Dispatch
import TestSupport
import Testing

/// What has completed is complete: its progress, its state, its parts.
@Suite(.ownThread) struct ProgressTests {
  static let rounds = 100_000

  @Test(arguments: [false, true])
  func `a completion finds progress, state and parts complete, however the parts race`(onQueue: Bool) {
    let (ended, wrong, late) = (Counter(), Log<String>(), Counter())
    let queue = DispatchQueue(label: "home")
    let done = DispatchSemaphore(value: 0)
    for round in 0..<Self.rounds {
      let parts = Guarded<[TaskController<Int>]>([])
      let last = Guarded(0.0)
      let isOver = Guarded(false)
      let group = ClosureTask.group(0..<3) { index, controller in
        parts.withLock { $0.append(controller) }
        DispatchQueue.global().async {
          if onQueue {
            controller.complete(with: .success(index), on: queue)
          } else {
            controller.finish(with: index)
          }
        }
      }
      group.perform(
        on: nil,
        progress: { fraction in
          last.withLock { $0 = fraction }
          if isOver.withLock({ $0 }) { late.add() }
        }
      ) { result in
        isOver.withLock { $0 = true }
        let reported = last.withLock { $0 }
        let areEnded = parts.withLock { $0.allSatisfy(\.isEnded) }
        if reported != 1 || !areEnded {
          wrong.append("round \(round): \(reported), parts ended: \(areEnded)")
        }
        if (try? result.get()) == [0, 1, 2] { ended.add() }
        done.signal()
      }
      done.wait()
    }
    #expect(wrong.entries == [])
    #expect(late.current == 0)
    #expect(ended.current == Self.rounds)
  }
}
