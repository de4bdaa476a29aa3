#if RxSwift
  import RuntimeOperations
  import RxSwift

  public let rxSwiftOperations = RuntimeContender(
    name: "rx-swift", summary: "RxSwift: observables without demand",
    implementations: [
      .sequenceToSink: { count in sum(.range(start: 0, count: count)) },
      .subjectToSink: { count in
        let subject = PublishSubject<Int>()
        var sum = 0
        let subscription = subject.subscribe(onNext: { sum += $0 })
        for element in 0..<count { subject.onNext(element) }
        subscription.dispose()
        return sum
      },
      .mapFilterMap: { count in
        sum(.range(start: 0, count: count).map { $0 + 1 }.filter { $0.isMultiple(of: 2) }.map { $0 * 2 })
      },
      .zip3: { count in
        let numbers = Observable.range(start: 0, count: count)
        return sum(.zip(numbers, numbers, numbers) { $0 + $1 + $2 })
      },
      .zipMany: { count in
        sum(Observable.zip((0..<count).map { Observable.just($0) }).map { $0.reduce(0, +) })
      },
      .flatMap: { count in sum(.range(start: 0, count: count).flatMap { Observable.just($0) }) },
      .merge: { count in sum(.merge((0..<100).map { _ in .range(start: 0, count: count / 100) })) },
    ])

  private func sum(_ numbers: Observable<Int>) -> Int {
    var sum = 0
    let subscription = numbers.subscribe(onNext: { sum += $0 })
    return withExtendedLifetime(subscription) { sum }
  }
#endif
