import ReactiveStreams
import ReactiveStreamsTCK
import Testing

@Suite("A subject's upstreams", .ownThread)
struct SubjectUpstreamTests {
  typealias Passthrough = PassthroughSubject<Int, Never>

  @Test func `a subject sends on what several publishers send, until each connection is cancelled`() {
    let (a, b, subject) = (Passthrough(), Passthrough(), Passthrough())
    let got = Log<Int>()
    let sink = subject.sink { got.add($0) }
    let connections = [a.subscribe(subject), b.subscribe(subject)]
    a.send(1)
    b.send(2)
    connections[0].cancel()
    a.send(3)
    b.send(4)
    #expect(got.entries == [1, 2, 4])
    withExtendedLifetime((sink, connections)) {}
  }

  @Test func `a connection that is dropped ends, and so does what is upstream`() {
    let (upstream, subject) = (ManualPublisher<Int, Never>(), Passthrough())
    do { _ = upstream.subscribe(subject) }
    #expect(upstream.requested == .unlimited && upstream.cancellations == 1)
  }

  @Test func `the end of a subject cancels what it is subscribed to, once, but for what ended it`() {
    for subject in [Passthrough() as any EndableSubject, CurrentValueSubject<Int, Never>(0)] {
      let upstreams = (0..<3).map { _ in ManualPublisher<Int, Never>() }
      let connections = upstreams.map { subject.follow($0) }
      upstreams[0].send(completion: .finished)
      #expect(upstreams.map(\.cancellations) == [0, 1, 1])
      for connection in connections { connection.cancel() }
      #expect(upstreams.map(\.cancellations) == [0, 1, 1])
      let late = ManualPublisher<Int, Never>()
      _ = subject.follow(late)
      #expect(late.cancellations == 1 && late.requests == [])
    }
  }

  @Test func `an ended subject is let go of by a publisher that goes on`() {
    let ticks = Passthrough()
    weak var subject: Passthrough?
    let connection: AnyCancellable
    do {
      let made = Passthrough()
      subject = made
      connection = ticks.subscribe(made)
      made.send(completion: .finished)
    }
    #expect(subject == nil)
    withExtendedLifetime(connection) {}
  }
}

/// Both kinds.
private protocol EndableSubject { func follow(_ publisher: ManualPublisher<Int, Never>) -> AnyCancellable }

extension EndableSubject where Self: Subject & Subscriber, Output == Int, Failure == Never, Input == Int {
  func follow(_ publisher: ManualPublisher<Int, Never>) -> AnyCancellable { publisher.subscribe(self) }
}

extension PassthroughSubject: EndableSubject where Output == Int, Failure == Never {}
extension CurrentValueSubject: EndableSubject where Output == Int, Failure == Never {}
