import Foundation
import ReactiveStreams
import TestSupport
import Synchronization
import Testing

@Suite("Current value subject", .ownThread) struct CurrentValueSubjectTests {
  @Test func `a new subscriber gets the current value on demand, then every change`() {
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

  @Test func `the kept value is the last one sent, from any thread`() {
    let subject = CurrentValueSubject<Int, Never>(0)
    let last = Atomic(0)
    let sink = subject.sink { last.store($0, ordering: .sequentiallyConsistent) }
    let arrivals = Atomic(0)
    let differences = Counter()
    onThreads(2) { thread in
      var awaited = 0
      func meet() {
        awaited += 2
        arrivals.add(1, ordering: .sequentiallyConsistent)
        while arrivals.load(ordering: .sequentiallyConsistent) < awaited { sched_yield() }
      }
      for round in 1...5_000 {
        meet()
        subject.send(2 * round + thread)
        meet()
        if subject.value != last.load(ordering: .sequentiallyConsistent) { differences.add() }
      }
    }
    withExtendedLifetime(sink) {}
    #expect(differences.current == 0)
  }

  @Test func `a kept value may use the subject in its deinitialiser`() {
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

  @Test func `the value stays what it was at the end`() {
    let subject = CurrentValueSubject<Int, Never>(1)
    subject.send(completion: .finished)
    subject.send(2)
    subject.value = 3
    #expect(subject.value == 1)
  }
}
