import Foundation
import ReactiveStreams
import TestSupport
import Testing

@Suite("Result sink", .ownThread) struct ResultSinkTests {
  @Test func `the first value is the result, and no more are requested`() {
    let log = Log<String>()
    let upstream = ManualPublisher<Int, any Error>()
    let sink = upstream.sink { log.append(describe($0)) }
    upstream.send(1)
    upstream.send(2)
    sink.cancel()
    #expect(log.entries == ["1"])
    #expect(upstream.requests == [.max(1)] && upstream.cancellations == 1)
  }

  @Test func `a failure, an end without a value and a cancellation are failures`() {
    let log = Log<String>()
    let failing = Fail<Int, any Error>(error: TestError(number: 3)).sink { log.append(describe($0)) }
    let empty = Empty<Int, any Error>().sink { log.append(describe($0)) }
    let endless = Empty<Int, any Error>(completeImmediately: false)
    let cancelled = endless.sink { log.append(describe($0)) }
    cancelled.cancel()
    cancelled.cancel()
    #expect(log.entries == ["TestError(number: 3)", "EmptyStreamError()", "CancellationError()"])
    _ = (failing, empty)
  }

  @Test func `a result and a cancellation that race make exactly one call`() {
    for _ in 0..<2000 {
      let log = Log<Bool>()
      let source = FromCallback<Int, any Error, Void> { resolver in
        DispatchQueue.global().async { resolver.succeed(1) }
      }
      let sink = source.sink { _ in log.append(true) }
      sink.cancel()
      #expect(log.wait(for: 1).count == 1)
    }
  }

  @Test func `a cancellation is delivered when the upstream's starting work has started`() {
    expectNoStartAfterTheEnd { $0.receive(on: ImmediateScheduler.shared).eraseToAnyPublisher() }
    expectNoStartAfterTheEnd { $0.receive(on: DispatchQueue.global()).eraseToAnyPublisher() }
    expectNoStartAfterTheEnd { $0.ensure {}.eraseToAnyPublisher() }
  }

  @Test func `a cancellation during an answer is not delivered on the answering thread`() {
    let log = Log<String>()
    let meeting = Meeting()
    let sink = FromCallback<Int, any Error, Void> { resolver in
      DispatchQueue(label: "answers").async { resolver.succeed(1) }
    }
    .receive(on: meeting)
    .subscribe { log.append("\(describe($0)), \(Meeting.isHere ? "scheduled" : "not scheduled")") }
    meeting.begun.wait()
    sink.cancel()
    meeting.goOn.signal()
    #expect(log.wait(for: 1) == ["CancellationError(), scheduled"])
  }

  /// Cancels, on the thread that starts the work, a moment before it does.
  private func expectNoStartAfterTheEnd(
    _ chain: (FromCallback<Int, any Error, Void>) -> AnyPublisher<Int, any Error>
  ) {
    let log = Log<String>()
    let (beginning, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let work = FromCallback<Int, any Error, Void> { _ in
      beginning.signal()
      goOn.wait()
      log.append("started")
    }
    let sink = Subscribers.ResultSink<Int> { log.append(describe($0)) }
    let publisher = chain(work)
    DispatchQueue.global().async { publisher.receive(subscriber: sink) }
    beginning.wait()
    sink.cancel()
    #expect(log.entries == [])
    goOn.signal()
    #expect(log.wait(for: 2) == ["started", "CancellationError()"])
  }
}

private func describe(_ result: Result<Int, any Error>) -> String {
  switch result {
  case .success(let value): "\(value)"
  case .failure(let error): "\(error)"
  }
}

/// Blocks the first call of `schedule`.
private final class Meeting: Scheduler {
  private static let key = DispatchSpecificKey<Bool>()
  static var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }

  let (begun, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  private let queue = DispatchQueue(label: "meeting")

  init() { queue.setSpecific(key: Self.key, value: true) }

  var now: Duration { queue.now }

  func schedule(_ action: @escaping @Sendable () -> Void) {
    begun.signal()
    goOn.wait()
    goOn.signal()
    queue.async(execute: action)
  }

  func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> AnyCancellable {
    queue.schedule(after: delay, action)
  }
}
