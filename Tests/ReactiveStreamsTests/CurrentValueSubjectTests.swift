import ReactiveStreams
import ReactiveStreamsTCK
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
}
