import ReactiveStreams
import ReactiveStreamsTCK
import RuntimeTestSupport
import Testing

@Suite("Current value subject")
struct CurrentValueSubjectTests {
  @Test func `a new subscriber gets the current value when it asks, then every change`() {
    let subject = CurrentValueSubject<Int, Never>(1)
    subject.value = 2
    let probe = Probe<Int, Never>()
    subject.subscribe(probe)
    #expect(probe.values.isEmpty)
    probe.request(.max(2))
    #expect(probe.values == [2])
    subject.send(3)
    #expect(probe.values == [2, 3] && subject.value == 3)
  }

  @Test func `a slow subscriber gets the latest value once, older ones are skipped`() {
    let subject = CurrentValueSubject<Int, Never>(1)
    let probe = Probe<Int, Never>()
    subject.subscribe(probe)
    probe.request(.max(1))
    subject.send(2)
    subject.send(3)
    probe.request(.max(2))
    #expect(probe.values == [1, 3])
    subject.send(4)
    #expect(probe.values == [1, 3, 4])
    #expect(probe.violations == [])
  }

  @Test func `what is kept is what was sent last, whoever sends`() {
    for round in 0..<2000 {
      let subject = CurrentValueSubject<Int, Never>(0)
      let last = Guarded(0)
      let sink = subject.sink { value in last.withLock { $0 = value } }
      onThreads(2) { thread in for value in 1...5 { subject.send(thread * 10 + value) } }
      withExtendedLifetime(sink) {}
      let (kept, sent) = (subject.value, last.withLock { $0 })
      guard kept == sent else {
        Issue.record("round \(round): \(kept) is kept, and \(sent) was sent last")
        return
      }
    }
  }

  @Test func `what was kept may look at the subject when it is let go of`() {
    let subject = CurrentValueSubject<Farewell?, Never>(nil)
    subject.send(completion: .finished)
    let ended = Counter()
    subject.send(
      Farewell {
        _ = subject.value
        ended.add()
      })
    subject.send(nil)
    #expect(ended.current == 1)
  }
}
