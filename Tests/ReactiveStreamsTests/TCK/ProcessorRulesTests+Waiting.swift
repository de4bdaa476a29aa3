import ReactiveStreams
import ReactiveStreamsOperators

/// What keeps values, waits for a clock, or makes its values of several publishers.
extension ProcessorRulesTests {
  static let thatWait: [ProcessorCase] = [
    ProcessorCase("buffer", asksAhead: true) { $0.buffer(size: 4, whenFull: .dropOldest) },
    ProcessorCase("buffer that suspends", asksAhead: true) { $0.buffer(size: 4, whenFull: .suspendUpstream) },
    ProcessorCase("debounce", asksAhead: true) {
      $0.debounce(for: .seconds(1), scheduler: ImmediateScheduler.shared)
    },
    ProcessorCase("throttle", asksAhead: true) {
      $0.throttle(for: .seconds(1), scheduler: ImmediateScheduler.shared, latest: true)
    },
    ProcessorCase("timeout") { $0.timeout(.seconds(1), scheduler: TestScheduler()) { TestError() } },
    ProcessorCase("delay") { $0.delay(for: .seconds(1), scheduler: ImmediateScheduler.shared) },
    ProcessorCase("retry after a pause") {
      $0.retry(0, backoff: .none, on: ImmediateScheduler.shared)
    },
    ProcessorCase("switchToLatest", asksAhead: true) {
      $0.flatMapLatest { Just($0).setFailureType(to: TestError.self) }
    },
    ProcessorCase("zip") { $0.zip((0...).publisher.setFailureType(to: TestError.self)) },
    ProcessorCase("combineLatest") { $0.combineLatest(Just(0).setFailureType(to: TestError.self)) },
    ProcessorCase("race") { [$0].race() },
    ProcessorCase("any") { [$0].any() },
    ProcessorCase("share") { $0.share() },
    ProcessorCase("a buffered subject in between", sharing: .unlimited) { upstream in
      let subject = BufferedSubject<Int, TestError>(size: 5, whenFull: .dropOldest)
      upstream.receive(subscriber: subject)
      return subject
    },
  ]
}
