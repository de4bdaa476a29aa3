import Foundation
import ReactiveStreams
import TestSupport
import Testing

@Suite("Every publisher obeys every rule", .ownThread) struct PublisherRulesTests {
  static let rules = PublisherVerification<Just<Int>>.rules.map(\.name)

  @Test(arguments: sources + operators + fanIns + combining + scheduled + timed, rules)
  func `a publisher obeys the rule`(_ publisher: Case, _ rule: String) {
    #expect(publisher.violations(rule) == [])
  }

  static let sources: [Case] = [
    Case("sequence") { (0..<$0).publisher },
    .after("failing sequence") { $0 },
    Case("just", largestCount: 1) { _ in Just(1) },
    Case("deferred") { count in Deferred { (0..<count).publisher } },
    Case("from callback", largestCount: 1) { _ in FromCallback<Int, Never, Void> { $0.succeed(1) } },
    Case("from callback, later", largestCount: 1) { _ in later(1) },
  ]

  static let operators: [Case] = [
    Case("map") { (0..<$0).publisher.map { $0 + 1 } },
    Case("filter") { (0..<2 * $0).publisher.filter { !$0.isMultiple(of: 2) } },
    Case("compactMap") { (0..<2 * $0).publisher.compactMap { $0.isMultiple(of: 2) ? nil : "\($0)" } },
    .after("mapError") { $0.mapError { $0 } },
    .after("collect", largestCount: 1) { $0.collect() },
    Case("scan") { (0..<$0).publisher.scan(0, +) },
    Case("reduce", largestCount: 1) { _ in (0..<5).publisher.reduce(0, +) },
    Case("prefix") { (0...).publisher.prefix($0) },
    Case("prefix longer than the upstream") { (0..<$0).publisher.prefix(.max) },
    Case("handleEvents") { (0..<$0).publisher.handleEvents {} },
    .after("ensure") { $0.ensure {} },
    .after("ensure with a publisher") {
      $0.ensure {
        FromCallback<Int, TestError, Void> { resolver in
          DispatchQueue.global().async { resolver.succeed(1) }
        }
      }
    },
    .after("tryMap") { $0.tryMap { $0 } },
    Case("erased") { (0..<$0).publisher.eraseToAnyPublisher() },
  ]

  static let fanIns: [Case] = [
    Case("flatMap to single values") { (0..<$0).publisher.flatMap { Just($0) } },
    Case("flatMap to later values") { count in
      (0..<count).publisher.flatMap(maxPublishers: .max(8)) { later($0) }
    },
    Case("flatMap to one sequence") { count in Just(0).flatMap { _ in (0..<count).publisher } },
    Case(
      "flatMap",
      PublisherVerification(
        makeFailed: {
          Just(0).setFailureType(to: TestError.self).eraseToAnyPublisher().flatMap { _ in failed }
        },
        make: { count in
          (0..<2).publisher.setFailureType(to: TestError.self).eraseToAnyPublisher().flatMap { index in
            (0..<(index == 0 ? count / 2 : count - count / 2)).publisher
              .setFailureType(to: TestError.self).eraseToAnyPublisher()
          }
        })),
    Case("concatMap") { (0..<$0).publisher.concatMap { Just($0) } },
    Case("concatMapEager to single values") { (0..<$0).publisher.concatMapEager { Just($0) } },
    Case("concatMapEager to later values") { count in
      (0..<count).publisher.concatMapEager(maxPublishers: .max(8)) { later($0) }
    },
    Case("concatMapEager to sequences") { count in
      (0..<2).publisher.concatMapEager { index in
        (0..<(index == 0 ? count / 2 : count - count / 2)).publisher
      }
    },
  ]

  static let combining: [Case] = [
    Case("merge") { count in [(0..<count / 2).publisher, (0..<count - count / 2).publisher].merge() },
    Case("any, later") { count in
      [Empty(completeImmediately: false).eraseToAnyPublisher(), (0..<count).publisher.eraseToAnyPublisher()]
        .any()
    },
    Case("zip") { (0..<$0).publisher.zip((0..<$0 + 2).publisher) },
    Case("zip of three") { (0..<$0).publisher.zip((0..<$0).publisher, (0..<$0).publisher) },
    Case(
      "zip of many",
      PublisherVerification(
        makeFailed: { [failed, failing(1)].zip() },
        make: { [failing($0), failing($0 + 1), failing($0)].zip() })),
    Case(
      "catch",
      PublisherVerification(
        makeFailed: { failed.catch { _ in failed } },
        make: { count in failed.catch { _ in failing(count) } })),
    Case("catch without a failure") { count in failing(count).catch { _ in Empty<Int, Never>() } },
    .after("retry") { $0.retry(3) },
  ]

  static let scheduled: [Case] = [
    Case("subscribe(on: queue)") { (0..<$0).publisher.subscribe(on: DispatchQueue(label: "test")) },
    .after("timeout") { $0.timeout(.seconds(1), scheduler: TestScheduler()) { TestError() } },
    Case("receive(on: queue)") { (0..<$0).publisher.receive(on: DispatchQueue(label: "test")) },
    Case("receive(on: concurrent queue)") { (0..<$0).publisher.receive(on: DispatchQueue.global()) },
    Case("receive(on: immediate)") { (0..<$0).publisher.receive(on: ImmediateScheduler.shared) },
  ]

  /// They keep values, or wait for a clock.
  static let timed: [Case] = [
    Case(
      "timer",
      makeKit: {
        let scheduler = TestScheduler()
        return PublisherVerification(
          largestCount: 20, settle: { scheduler.advance(by: .seconds(40)) },
          make: { Publishers.Timer(every: .seconds(1), on: scheduler).prefix($0) })
      }),
    Case(
      "timer on a queue",
      makeKit: {
        PublisherVerification(
          largestCount: 5,
          make: { Publishers.Timer(every: .milliseconds(1), on: DispatchQueue.global()).prefix($0) })
      }),
    Case(
      "retry after pauses",
      makeKit: {
        let scheduler = TestScheduler()
        return PublisherVerification(
          settle: { scheduler.advance(by: .seconds(100)) },
          makeFailed: { failed.retry(3, delay: { .seconds($0) }, on: scheduler) },
          make: { failing($0).retry(3, delay: { .seconds($0) }, on: scheduler) })
      }),
    Case("buffer that suspends") { (0..<$0).publisher.buffer(size: 4, whenFull: .suspendUpstream) },
    Case("buffer of one that suspends") { (0..<$0).publisher.buffer(size: 1, whenFull: .suspendUpstream) },
    Case(
      "buffer",
      PublisherVerification(
        makeFailed: { failed.buffer(size: 1, whenFull: .suspendUpstream) },
        make: { failing($0).buffer(size: $0, whenFull: .suspendUpstream) })),
    Case(
      "any",
      PublisherVerification(
        makeFailed: { [failed, failed].any() }, make: { [failed, failing($0)].any() })),
    Case("current value subject", largestCount: 1) { _ in CurrentValueSubject<Int, Never>(1).prefix(1) },
  ]

  static func failing(_ count: Int) -> AnyPublisher<Int, TestError> {
    (0..<count).publisher.setFailureType(to: TestError.self).eraseToAnyPublisher()
  }

  static var failed: AnyPublisher<Int, TestError> { Fail(error: TestError()).eraseToAnyPublisher() }

  /// A value from another thread.
  static func later(_ value: Int) -> FromCallback<Int, Never, Void> {
    FromCallback { resolver in DispatchQueue.global().async { resolver.succeed(value) } }
  }
}
