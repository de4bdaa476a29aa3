import ReactiveStreams

/// Operators that keep values, wait for a clock, or combine several publishers.
extension ProcessorRulesTests {
  static let thatWait: [ProcessorCase] = [
    ProcessorCase("buffer", requestsAhead: true) { $0.buffer(size: 4, whenFull: .suspendUpstream) },
    ProcessorCase("timeout") { $0.timeout(.seconds(1), scheduler: TestScheduler()) { TestError() } },
    ProcessorCase("retry after a pause") {
      $0.retry(0, delay: { _ in .zero }, on: ImmediateScheduler.shared)
    },
    ProcessorCase("zip") { $0.zip((0...).publisher.setFailureType(to: TestError.self)) },
    ProcessorCase("any") { [$0].any() },
  ]
}
