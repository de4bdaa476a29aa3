import Exploration
import TestSupport
import Testing

@Suite(.ownThread) struct StepQueueTests {
  /// A task continues beside those that its first step created.
  @Test func `no two ready steps share a name`() {
    let queue = StepQueue()
    queue.catching {
      queue.begin(Step(id: 1))
      _ = Task(executorPreference: queue) {
        await withTaskGroup { group in
          for _ in 0..<3 { group.addTask {} }
          await group.waitForAll()
        }
      }
      var most = 0
      while !queue.steps.isEmpty {
        most = max(most, queue.steps.count)
        #expect(Set(queue.steps.map(\.id)).count == queue.steps.count)
        queue.run(at: queue.steps.count - 1)
      }
      #expect(most == 3)
    }
  }
}
