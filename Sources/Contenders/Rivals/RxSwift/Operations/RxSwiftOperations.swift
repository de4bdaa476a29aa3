#if RxSwift
  import RuntimeOperations
  import RxSwift

  /// RxSwift's observables and subjects, all on the calling thread.
  public let rxSwiftOperations = RuntimeContender(
    name: "rx-swift", summary: "RxSwift: observables without demand",
    implementations: [
      .sequenceToSink: Streams.sequenceToSink, .subjectToSink: Streams.subjectToSink,
      .mapFilterMap: Streams.mapFilterMap, .zip3: Streams.zip3, .zipMany: Streams.zipMany,
      .flatMap: Streams.flatMap, .merge: Streams.merge,
    ])

  /// The operations on streams, as users of RxSwift write them.
  enum Streams {
    static func sequenceToSink(_ count: Int) -> Int {
      sum(.range(start: 0, count: count))
    }

    static func subjectToSink(_ count: Int) -> Int {
      let subject = PublishSubject<Int>()
      var sum = 0
      let subscription = subject.subscribe(onNext: { sum += $0 })
      for element in 0..<count { subject.onNext(element) }
      subscription.dispose()
      return sum
    }

    static func mapFilterMap(_ count: Int) -> Int {
      sum(.range(start: 0, count: count).map { $0 + 1 }.filter { $0.isMultiple(of: 2) }.map { $0 * 2 })
    }

    static func zip3(_ count: Int) -> Int {
      let numbers = Observable.range(start: 0, count: count)
      return sum(.zip(numbers, numbers, numbers) { $0 + $1 + $2 })
    }

    static func zipMany(_ count: Int) -> Int {
      sum(Observable.zip((0..<count).map { Observable.just($0) }).map { $0.reduce(0, +) })
    }

    static func flatMap(_ count: Int) -> Int {
      sum(.range(start: 0, count: count).flatMap { Observable.just($0) })
    }

    static func merge(_ count: Int) -> Int {
      sum(.merge((0..<100).map { _ in .range(start: 0, count: count / 100) }))
    }

    private static func sum(_ numbers: Observable<Int>) -> Int {
      var sum = 0
      let subscription = numbers.subscribe(onNext: { sum += $0 })
      return withExtendedLifetime(subscription) { sum }
    }
  }
#endif
