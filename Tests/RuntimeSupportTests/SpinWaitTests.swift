import TestSupport
import RuntimeSupport
import Testing

@Suite(.ownThread) struct SpinWaitTests {
  @Test func `the wait ends when another thread makes the condition true`() {
    for round in 1...100 {
      let ready = Counter()
      let seen = Counter()
      onThreads(2) { thread in
        if thread == 0 {
          ready.add(round)
        } else {
          SpinWait.until { ready.current == round }
          seen.add()
        }
      }
      #expect(seen.current == 1)
    }
  }
}
