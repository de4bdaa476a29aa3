import Foundation
import ReactiveStreams
import TestSupport
import Testing

@Suite("Passthrough subject", .ownThread) struct PassthroughSubjectTests {
  @Test func `each subscriber gets what it requested and misses the rest`() {
    let subject = PassthroughSubject<Int, Never>()
    let eager = Probe<Int, Never>()
    let modest = Probe<Int, Never>()
    subject.subscribe(eager)
    subject.subscribe(modest)
    eager.request(.unlimited)
    modest.request(.max(1))
    for value in 1...3 { subject.send(value) }
    modest.request(.max(1))
    subject.send(4)
    #expect(eager.values == [1, 2, 3, 4] && modest.values == [1, 4])
    subject.send(completion: .finished)
    subject.send(5)
    #expect(eager.completion == .finished && modest.completion == .finished)
    #expect(eager.violations == [] && modest.violations == [])
  }

  @Test func `sends from many threads are serialised and seen by all in one order`() {
    let subject = PassthroughSubject<Int, Never>()
    let probes = (0..<2).map { _ in Probe<Int, Never>() }
    for probe in probes {
      subject.subscribe(probe)
      probe.request(.unlimited)
    }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for index in 0..<2000 { subject.send(thread * 2000 + index) }
    }
    #expect(probes[0].violations == [] && probes[1].violations == [])
    #expect(probes[0].values == probes[1].values)
    #expect(probes[0].values.sorted() == Array(0..<8000))
  }

  @Test func `a send from inside a subscriber comes after the current value`() {
    let subject = PassthroughSubject<Int, Never>()
    let first = Probe<Int, Never>(onValue: { _, value in
      if value < 3 { subject.send(value + 1) }
      return .none
    })
    let second = Probe<Int, Never>()
    for probe in [first, second] {
      subject.subscribe(probe)
      probe.request(.unlimited)
    }
    subject.send(1)
    #expect(first.values == [1, 2, 3] && second.values == [1, 2, 3])
    #expect(first.deepestSignal == 1)
  }

  @Test func `a cancelled subscriber gets nothing more and is dropped`() {
    let subject = PassthroughSubject<Int, Never>()
    weak var dropped: Probe<Int, Never>?
    do {
      let probe = Probe<Int, Never>()
      dropped = probe
      subject.subscribe(probe)
      probe.request(.unlimited)
      subject.send(1)
      probe.cancel()
      subject.send(2)
      #expect(probe.values == [1])
      probe.forget()
    }
    #expect(dropped == nil)
  }

  @Test func `a subscriber that comes after the end gets the end`() {
    let subject = PassthroughSubject<Int, TestError>()
    subject.send(completion: .failure(TestError()))
    let probe = Probe<Int, TestError>()
    subject.subscribe(probe)
    #expect(probe.completion == .failure(TestError()))
    #expect(probe.violations == [])
  }

  @Test(arguments: [0, 1, 2, 3])
  func `the others go on, in order, when one cancels from inside a value`(_ leaver: Int) {
    let subject = PassthroughSubject<Int, Never>()
    let log = Log<[Int]>()
    let probes = (0..<4).map { index in
      Probe<Int, Never>(onValue: { probe, value in
        log.append([index, value])
        if index == leaver { probe.cancel() }
        return .none
      })
    }
    for probe in probes {
      subject.subscribe(probe)
      probe.request(.unlimited)
    }
    for value in 0..<2 { subject.send(value) }
    let stayers = (0..<4).filter { $0 != leaver }
    #expect(log.entries == (0..<4).map { [$0, 0] } + stayers.map { [$0, 1] })
    subject.send(completion: .finished)
    #expect(probes.map { $0.completion == .finished } == (0..<4).map { $0 != leaver })
  }
}
