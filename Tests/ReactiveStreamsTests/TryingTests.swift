import ReactiveStreams
import ReactiveStreamsOperators
import ReactiveStreamsTCK
import Testing

@Suite("Operators whose closures may throw", .ownThread)
struct TryingTests {
  /// What comes of 1, 2, 3, 4, which are sent whether asked for or not, and how often that was cancelled.
  private func outcome<P: Publisher>(
    _ make: (ManualPublisher<Int, TestError>) -> P
  ) -> (values: [P.Output], error: TestError?, cancellations: Int) where P.Failure == any Error {
    let upstream = ManualPublisher<Int, TestError>()
    let probe = Probe<P.Output, any Error>()
    make(upstream).subscribe(probe)
    probe.request(.unlimited)
    for value in 1...4 { upstream.send(value) }
    upstream.send(completion: .finished)
    #expect(probe.violations == [])
    guard case .failure(let error as TestError) = probe.completion else {
      return (probe.values, nil, upstream.cancellations)
    }
    return (probe.values, error, upstream.cancellations)
  }

  /// Throws at three.
  @Sendable private static func even(_ value: Int) throws -> Bool {
    if value == 3 { throw TestError(number: 3) }
    return value % 2 == 0
  }

  @Test func `without an error they are what those without try are`() {
    #expect(outcome { $0.tryFilter { $0 > 2 } }.values == [3, 4])
    #expect(outcome { $0.tryCompactMap { $0 == 2 ? nil : 2 * $0 } }.values == [2, 6, 8])
    #expect(outcome { $0.tryScan(0) { $0 + $1 } }.values == [1, 3, 6, 10])
    #expect(outcome { $0.tryReduce(0) { $0 + $1 } }.values == [10])
    #expect(outcome { $0.tryRemoveDuplicates { $0 / 2 == $1 / 2 } }.values == [1, 2, 4])
    #expect(outcome { $0.tryDrop { $0 < 3 } }.values == [3, 4])
    #expect(outcome { $0.tryPrefix { $0 < 3 } }.values == [1, 2])
    #expect(outcome { $0.tryFirst { $0 > 1 } }.values == [2])
    #expect(outcome { $0.tryLast { $0 < 4 } }.values == [3])
    #expect(outcome { $0.tryContains { $0 == 4 } }.values == [true])
    #expect(outcome { $0.tryContains { $0 == 5 } }.values == [false])
    #expect(outcome { $0.tryAllSatisfy { $0 < 5 } }.values == [true])
    #expect(outcome { $0.tryMin { $0 < $1 } }.values == [1])
    #expect(outcome { $0.tryMax { $0 < $1 } }.values == [4])
  }

  @Test func `what is thrown ends the stream after what came before, and cancels the upstream`() {
    func expect<T: Equatable>(
      _ got: (values: [T], error: TestError?, cancellations: Int), _ values: [T],
      _ place: SourceLocation = #_sourceLocation
    ) {
      #expect(got.values == values && got.cancellations == 1, sourceLocation: place)
      #expect(got.error == TestError(number: 3), sourceLocation: place)
    }
    expect(outcome { $0.tryFilter(Self.even) }, [2])
    expect(outcome { $0.tryCompactMap { try Self.even($0) ? $0 : nil } }, [2])
    expect(outcome { $0.tryScan(0) { try Self.even($1) ? $0 + $1 : $0 } }, [0, 2])
    expect(outcome { $0.tryReduce(0) { try Self.even($1) ? $0 : $0 + $1 } }, [])
    expect(outcome { $0.tryRemoveDuplicates { try Self.even($1) && $0 < 0 } }, [1, 2])
    expect(outcome { $0.tryDrop { try Self.even($0) || $0 == 1 } }, [])
    expect(outcome { $0.tryPrefix { try Self.even($0) || $0 == 1 } }, [1, 2])
    expect(outcome { $0.tryFirst { try Self.even($0) && $0 > 2 } }, [])
    expect(outcome { $0.tryLast(where: Self.even) }, [])
    expect(outcome { $0.tryContains { try Self.even($0) && $0 > 2 } }, [])
    expect(outcome { $0.tryAllSatisfy { try Self.even($0) || $0 == 1 } }, [])
    expect(outcome { $0.tryMin { try Self.even($0) || $0 < $1 } }, [])
    expect(outcome { $0.tryMax { try Self.even($1) || $0 < $1 } }, [])
  }

  @Test func `a failure goes over to another publisher, or ends with what is thrown in its place`() {
    let caught = Probe<Int, any Error>()
    Fail<Int, TestError>(error: TestError(number: 1)).tryCatch { Just($0.number) }.subscribe(caught)
    caught.request(.unlimited)
    #expect(caught.values == [1])
    let thrown = Probe<Int, any Error>()
    Fail<Int, TestError>(error: TestError(number: 1))
      .tryCatch { error -> Just<Int> in throw TestError(number: error.number + 1) }.subscribe(thrown)
    thrown.request(.unlimited)
    guard case .failure(let error as TestError) = thrown.completion else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.number == 2)
  }
}
