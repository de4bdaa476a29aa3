import Dispatch
import ReactiveStreams
import TestSupport
import Testing

/// A publisher awaited through a continuation that a sink and `handleEvents(receiveCancel:)` resume: exactly once, in any order.
@Suite("Bridge", .ownThread) struct BridgeTests {
  typealias Value = AnyPublisher<Int, any Error>

  /// A publisher of one value.
  struct Single: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (Value) -> Value

    init<P: Publisher>(_ name: String, _ make: @escaping @Sendable (Value) -> P)
    where P.Output == Int, P.Failure == any Error {
      testDescription = name
      self.make = { make($0).eraseToAnyPublisher() }
    }
  }

  /// Each operator behind a publisher of one value.
  static let singles: [Single] = [
    Single("as it is") { $0 },
    Single("map") { $0.map { $0 } },
    Single("tryMap") { $0.tryMap { $0 } },
    Single("compactMap") { $0.compactMap { $0 } },
    Single("filter") { $0.filter { _ in true } },
    Single("scan") { $0.scan(0, +) },
    Single("reduce") { $0.reduce(0, +) },
    Single("collect") { $0.collect().map { $0[0] } },
    Single("first") { $0.first() },
    Single("prefix") { $0.prefix(3) },
    Single("mapError") { $0.mapError { $0 } },
    Single("handleEvents") { $0.handleEvents {} },
    Single("ensure") { $0.ensure {} },
    Single("ensure with a publisher") { $0.ensure { Just(0).setFailureType(to: (any Error).self) } },
    Single("flatMap") { $0.flatMap { Just($0).setFailureType(to: (any Error).self) } },
    Single("flatMap to it") { value in Just(0).setFailureType(to: (any Error).self).flatMap { _ in value } },
    Single("concatMap") { $0.concatMap { Just($0).setFailureType(to: (any Error).self) } },
    Single("concatMapEager") { value in
      Just(0).setFailureType(to: (any Error).self).concatMapEager { _ in value }
    },
    Single("merge") { $0.merge(with: Empty()) },
    Single("first of a merge") { $0.merge(with: Empty()).first() },
    Single("any") { $0.any(with: Fail(error: TestError())) { error, _ in error } },
    Single("zip") { $0.zip($0).map { $0.0 } },
    Single("zip with one that goes on") {
      $0.zip((1...).publisher.setFailureType(to: (any Error).self)).map { $0.0 }
    },
    Single("Zip3") { Publishers.Zip3($0, $0, $0).map { $0.0 } },
    Single("ZipMany") { Publishers.ZipMany([$0, $0]).map { $0[0] } },
    Single("catch") { $0.catch { Fail(error: $0) } },
    Single("retry") { $0.retry(1) },
    Single("buffer") { $0.buffer(size: 1, whenFull: .suspendUpstream) },
    Single("timeout") { $0.timeout(.seconds(600), scheduler: DispatchQueue.global()) },
    Single("receive(on:)") { $0.receive(on: ImmediateScheduler.shared) },
    Single("subscribe(on:)") { $0.subscribe(on: ImmediateScheduler.shared) },
    Single("delaySubscription") {
      $0.delaySubscription(for: .nanoseconds(1), scheduler: ImmediateScheduler.shared)
    },
  ]

  // MARK: Last values

  /// A value may cause a cancellation on another thread before the call returns.
  @Test(arguments: singles)
  func `a sink that is cancelled by its only value cancels nothing upstream`(single: Single) {
    let (cancelled, got) = (Counter(), Log<Int>())
    let resolvers = Log<Resolver<Int, any Error>>()
    let kept = Guarded<AnyCancellable?>(nil)
    let call = FromCallback<Int, any Error, Void> { resolvers.append($0) }
    let sink = single.make(call.eraseToAnyPublisher()).handleEvents(receiveCancel: { cancelled.add() })
      .sink { _ in
      } receiveValue: {
        got.append($0)
        kept.withLock { $0 }?.cancel()
      }
    kept.withLock { $0 = sink }
    onThreads(1) { _ in for resolver in resolvers.entries { resolver.succeed(1) } }
    #expect(got.entries == [1] && cancelled.current == 0)
  }

  @Test(arguments: singles)
  func `a cancellation before the value is reported once, and no value comes`(single: Single) {
    let (cancelled, got) = (Counter(), Counter())
    let upstream = ManualPublisher<Int, any Error>()
    let sink = single.make(upstream.eraseToAnyPublisher()).handleEvents(receiveCancel: { cancelled.add() })
      .sink(receiveCompletion: { _ in got.add() }, receiveValue: { _ in got.add() })
    sink.cancel()
    sink.cancel()
    #expect(cancelled.current == 1)
    upstream.send(1)
    upstream.send(completion: .finished)
    #expect(got.current == 0)
  }

  @Test func `a sink that is cancelled in its last value is not called with the end`() {
    let (ended, sink) = (Counter(), Guarded<AnyCancellable?>(nil))
    for cancels in [false, true] {
      let gate = PassthroughSubject<Int, Never>()
      sink.withLock {
        $0 = gate.first().sink { _ in
          ended.add()
        } receiveValue: { _ in
          if cancels { sink.withLock { $0 }?.cancel() }
        }
      }
      gate.send(1)
      #expect(ended.current == 1)
    }
  }

  enum Combined: CaseIterable { case flatMap, concatMap, merge, zip, zipMany }

  @Test(arguments: Combined.allCases)
  func `one of several streams that has delivered its last value is not cancelled with the others`(
    combined: Combined
  ) {
    let cancelled = Counter()
    let ended = Just(1).handleEvents(receiveCancel: { cancelled.add() })
    let goesOn = ManualPublisher<Int, Never>()
    let sink =
      switch combined {
      case .flatMap: ended.flatMap { _ in goesOn }.sink { _ in }
      case .concatMap: ended.concatMap { _ in goesOn }.sink { _ in }
      case .merge: ended.merge(with: goesOn).sink { _ in }
      case .zip: ended.zip(goesOn).sink { _ in }
      case .zipMany: [ended.eraseToAnyPublisher(), goesOn.eraseToAnyPublisher()].zip().sink { _ in }
      }
    sink.cancel()
    #expect(cancelled.current == 0 && goesOn.cancellations == 1)
  }

  @Test func `a last value that leads to a failure at once, or later, does not cancel its stream`() {
    for later in [nil, ManualPublisher<Int, TestError>()] {
      let (cancelled, probe) = (Counter(), Probe<Int, TestError>())
      let failing =
        later?.eraseToAnyPublisher() ?? Fail<Int, TestError>(error: TestError()).eraseToAnyPublisher()
      Just(1).setFailureType(to: TestError.self).handleEvents(receiveCancel: { cancelled.add() })
        .flatMap { _ in failing }.subscribe(probe)
      probe.request(.unlimited)
      later?.send(completion: .failure(TestError()))
      #expect(cancelled.current == 0 && probe.completion == .failure(TestError()))
    }
  }

  @Test func `a value that a closure fails to transform is the last, and its stream is not cancelled`() {
    let cancelled = Counter()
    let probe = Probe<Int, any Error>()
    Just(1).handleEvents(receiveCancel: { cancelled.add() }).tryMap { _ -> Int in throw TestError() }
      .subscribe(probe)
    probe.request(.unlimited)
    #expect(cancelled.current == 0 && probe.values == [])
  }

  // MARK: Awaited

  /// Keeps a cancellable, which may come after the cancellation.
  private final class Canceller: Sendable {
    private struct State {
      var cancellable: AnyCancellable?
      var isCancelled = false
    }

    private let state = Guarded(State())

    func keep(_ cancellable: AnyCancellable) {
      let isCancelled = state.withLock {
        $0.cancellable = cancellable
        return $0.isCancelled
      }
      if isCancelled { cancellable.cancel() }
    }

    func cancel() {
      state.withLock { state -> AnyCancellable? in
        state.isCancelled = true
        return state.cancellable
      }?.cancel()
    }
  }

  /// - Parameter again: counts the calls that would have resumed the continuation a second time, and ended the process.
  private func response(from publisher: Value, _ again: Counter) async throws -> Int {
    let canceller = Canceller()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int, any Error>) in
        let resumed = Counter()
        let resume: @Sendable (Result<Int, any Error>) -> Void = { result in
          if resumed.add() == 1 { continuation.resume(with: result) } else { again.add() }
        }
        if Task.isCancelled { return resume(.failure(CancellationError())) }
        canceller.keep(
          publisher.handleEvents(receiveCancel: { resume(.failure(CancellationError())) })
            .sink { completion in
              if case .failure(let error) = completion { resume(.failure(error)) }
            } receiveValue: {
              resume(.success($0))
            })
      }
    } onCancel: {
      canceller.cancel()
    }
  }

  /// A call that another thread answers: with a value, or a failure.
  private static func call(_ number: Int) -> Value {
    FromCallback<Int, any Error, Void> { resolver in
      DispatchQueue.global().async {
        resolver(number % 7 == 0 ? .failure(TestError(number: number)) : .success(number))
      }
    }.eraseToAnyPublisher()
  }

  /// `merge` may send the last value before it knows the end: then a cancellation may follow it, unless `first()` ends it.
  static let raced = singles.filter { $0.testDescription != "merge" }

  /// The calls of each; over all of them, 20,000 or 100,000.
  static let calls = (Effort.count(20_000, thorough: 100_000) + raced.count - 1) / raced.count

  @Test(arguments: raced)
  func `each call resumes once, with a cancellation raced against it`(single: Single) async {
    let (outcomes, again) = (Log<String>(), Counter())
    await withTaskGroup(of: Void.self) { group in
      for loop in 0..<2 {
        group.addTask {
          var random = SeededNumbers(seed: UInt64(loop))
          for number in stride(from: loop, to: Self.calls, by: 2) {
            let publisher = single.make(Self.call(number))
            let task = Task { try await response(from: publisher, again) }
            for _ in 0..<Int.random(in: 0..<200, using: &random) { keepBusy() }
            if number % 8 > 0 { task.cancel() }
            switch await task.result {
            case .success(let value):
              outcomes.append(value == number && number % 7 != 0 ? "value" : "wrong value")
            case .failure(is CancellationError): outcomes.append("cancellation")
            case .failure(let error as TestError) where error.number == number: outcomes.append("failure")
            case .failure(let error): outcomes.append("\(error)")
            }
          }
        }
      }
    }
    #expect(Set(outcomes.entries) == ["value", "failure", "cancellation"])
    #expect(outcomes.entries.count == Self.calls)
    #expect(again.current == 0, "\(single.testDescription)")
  }
}

/// Takes some nanoseconds.
@inline(never) private func keepBusy() {}
