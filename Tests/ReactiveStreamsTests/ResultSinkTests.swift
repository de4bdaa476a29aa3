import Foundation
import ReactiveStreams
import ReactiveStreamsTCK
import TestSupport
import Testing

@Suite("Result sink", .ownThread)
struct ResultSinkTests {
  private let describe: @Sendable (Result<Int, any Error>) -> String = { result in
    switch result {
    case .success(let value): "\(value)"
    case .failure(let error): "\(error)"
    }
  }

  @Test func `the first value is the result, and the rest is not asked for`() {
    let log = Log<String>()
    let upstream = ManualPublisher<Int, any Error>()
    let sink = upstream.sink { [describe] in log.add(describe($0)) }
    upstream.send(1)
    upstream.send(2)
    sink.cancel()
    #expect(log.entries == ["1"])
    #expect(upstream.requests == [.max(1)] && upstream.cancellations == 1)
  }

  @Test func `a failure, an end without a value and a cancellation are failures`() {
    let log = Log<String>()
    let failing = Fail<Int, any Error>(error: TestError(number: 3)).sink { [describe] in log.add(describe($0))
    }
    let empty = Empty<Int, any Error>().sink { [describe] in log.add(describe($0)) }
    let endless = Empty<Int, any Error>(completeImmediately: false)
    let cancelled = endless.sink { [describe] in log.add(describe($0)) }
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
      let sink = source.sink { _ in log.add(true) }
      sink.cancel()
      #expect(log.wait(for: 1).count == 1)
    }
  }
}
