import Foundation
import ReactiveStreams
import TestSupport
import Testing

@Suite("From callback", .ownThread) struct FromCallbackTests {
  @Test func `work starts on the first demand, once for each subscriber`() {
    let starts = Log<Int>()
    let source = FromCallback<Int, Never, Void> { resolver in
      starts.append(1)
      resolver.succeed(7)
    }
    let probe = Probe<Int, Never>()
    source.subscribe(probe)
    #expect(starts.entries.isEmpty)
    probe.request(.max(1))
    probe.request(.max(1))
    #expect(starts.entries == [1])
    #expect(probe.values == [7])
    #expect(probe.violations == [])
  }

  @Test func `a cancellation reaches the work, once, and its answer is ignored`() {
    let cancelled = Log<String>()
    let resolvers = Log<Resolver<Int, Never>>()
    let source = FromCallback<Int, Never, String> { resolver in
      resolvers.append(resolver)
      return "handle"
    } cancel: {
      cancelled.append($0)
    }
    let probe = Probe<Int, Never>()
    source.subscribe(probe)
    probe.request(.max(1))
    probe.cancel()
    probe.cancel()
    resolvers.entries.forEach { $0.succeed(1) }
    #expect(cancelled.entries == ["handle"])
    #expect(probe.values.isEmpty && probe.completion == nil)
  }

  @Test func `a cancellation before the demand means the work never starts`() {
    let starts = Log<Int>()
    let source = FromCallback<Int, Never, Void> { _ in starts.append(1) }
    let probe = Probe<Int, Never>()
    source.subscribe(probe)
    probe.cancel()
    probe.request(.max(1))
    #expect(starts.entries.isEmpty)
  }

  @Test func `only the first answer counts`() {
    let source = FromCallback<Int, TestError, Void> { resolver in
      resolver.succeed(1)
      resolver.succeed(2)
      resolver.fail(TestError())
    }
    let probe = Probe<Int, TestError>()
    source.subscribe(probe)
    probe.request(.unlimited)
    #expect(probe.values == [1])
    #expect(probe.completion == .finished)
    #expect(probe.violations == [])
  }

  @Test func `without an answer the stream is silent, and can be cancelled or bounded`() async {
    let call = FromCallback<Int, TestError, Void> { _ in }
    let probe = Probe<Int, TestError>()
    call.subscribe(probe)
    probe.request(.unlimited)
    #expect(probe.values.isEmpty && probe.completion == nil)
    probe.cancel()
    let bounded = call.timeout(.nanoseconds(1), scheduler: DispatchQueue.global()) { TestError(number: 3) }
    await #expect(throws: TestError(number: 3)) { try await bounded.mapError { $0 as any Error }.value }
  }

  @Test func `an answered handle is not cancelled and not kept`() {
    let tokens = Log<@Sendable () -> Token?>()
    let cancelled = Log<Int>()
    let source = FromCallback<Int, Never, Token> { resolver in
      let made = Token()
      tokens.append { [weak made] in made }
      resolver.succeed(1)
      return made
    } cancel: { _ in
      cancelled.append(1)
    }
    let probe = Probe<Int, Never>()
    source.subscribe(probe)
    probe.request(.max(1))
    #expect(tokens.entries[0]() == nil)
    probe.cancel()
    #expect(cancelled.entries.isEmpty)
  }

  @Test func `a cancellation and an answer that race are never both delivered`() {
    for _ in 0..<2000 {
      let outcomes = Log<String>()
      let answered = DispatchGroup()
      let source = FromCallback<Int, Never, Int> { resolver in
        DispatchQueue.global().async(group: answered) { resolver.succeed(1) }
        return 0
      } cancel: { _ in
        outcomes.append("cancelled")
      }
      let sink = source.sink { _ in outcomes.append("value") }
      sink.cancel()
      answered.wait()
      #expect(outcomes.entries.count <= 1)
    }
  }

  @Test func `a cancellation while the work's call runs waits for it, also when the call answers`() {
    let log = Log<String>()
    let probe = Probe<Int, Never>()
    FromCallback<Int, Never, Void> { resolver in
      probe.subscription?.cancel { log.append("over") }
      log.append("in the call")
      resolver.succeed(1)
    }.subscribe(probe)
    probe.request(.max(1))
    #expect(log.entries == ["in the call", "over"])
    #expect(probe.values == [] && probe.completion == nil)
  }

  @Test(arguments: [0, 1, 2]) func `an undelivered handle is released`(_ end: Int) {
    let probe = Probe<Int, Never>()
    weak var token: Token?
    do {
      let made = Token()
      token = made
      FromCallback<Int, Never, Token> { _ in
        made
      } cancel: { _ in
      }.subscribe(probe)
    }
    #expect(token != nil)
    if end > 0 { probe.request(.max(1)) }
    if end > 1 { probe.cancel() }
    probe.forget()
    #expect(token == nil)
  }

  private final class Token: Sendable {}
}
