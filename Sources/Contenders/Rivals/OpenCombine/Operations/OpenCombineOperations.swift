#if OpenCombine
  import OpenCombine
  import RuntimeOperations

  /// OpenCombine's publishers on the calling thread. `map-chain-1000` is missing, because it overflows a stack of 8 MiB: the
  /// subscriber of a map stores the next one by value.
  public let openCombineOperations = RuntimeContender(
    name: "open-combine", summary: "OpenCombine: publishers with demand, written as for Combine",
    implementations: [
      .promiseCallback: { count in
        var sum = 0
        for value in 0..<count {
          let (future, promise) = pending()
          let subscription = future.sink { sum += $0 }
          promise(.success(value))
          withExtendedLifetime(subscription) {}
        }
        return sum
      },
      // A zip would keep the order of the futures, but OpenCombine's crashes the process if they complete on other threads.
      .allOfMany: { count in
        var sum = 0
        let pairs = (0..<count).map { _ in pending() }
        let subscription = pairs.map(\.future).publisher.flatMap { $0 }.collect()
          .sink { sum = $0.reduce(0, +) }
        for (value, pair) in pairs.enumerated() { pair.promise(.success(value)) }
        return withExtendedLifetime(subscription) { sum }
      },
      .sequenceToSink: { count in sum((0..<count).publisher) },
      .subjectToSink: { count in
        let subject = PassthroughSubject<Int, Never>()
        var sum = 0
        let subscription = subject.sink { sum += $0 }
        for element in 0..<count { subject.send(element) }
        subject.send(completion: .finished)
        return withExtendedLifetime(subscription) { sum }
      },
      .mapFilterMap: { count in
        sum((0..<count).publisher.map { $0 + 1 }.filter { $0.isMultiple(of: 2) }.map { $0 * 2 })
      },
      .zip3: { count in
        let numbers = (0..<count).publisher
        return sum(numbers.zip(numbers, numbers).map { $0 + $1 + $2 })
      },
      .zipMany: { count in
        let publishers = (0..<count).map { Just([$0]).eraseToAnyPublisher() }
        return sum(zipped(publishers[...]).map { $0.reduce(0, +) })
      },
      .flatMap: { count in sum((0..<count).publisher.flatMap { Just($0) }) },
      // OpenCombine has no `merge` of many publishers, so its users call `flatMap`.
      .merge: { count in sum((0..<100).publisher.flatMap { _ in (0..<count / 100).publisher }) },
    ])

  private func pending() -> (future: Future<Int, Never>, promise: Future<Int, Never>.Promise) {
    var promise: Future<Int, Never>.Promise?
    let future = Future<Int, Never> { promise = $0 }
    return (future, promise!)
  }

  private func sum(_ publisher: some Publisher<Int, Never>) -> Int {
    var sum = 0
    let subscription = publisher.sink { sum += $0 }
    return withExtendedLifetime(subscription) { sum }
  }

  /// A zip of many publishers. OpenCombine zips at most four publishers, so its users build a tree of zips.
  private func zipped(_ publishers: ArraySlice<AnyPublisher<[Int], Never>>) -> AnyPublisher<[Int], Never> {
    let parts = min(publishers.count, 4)
    let zips = (0..<parts).map { part in
      let start = publishers.startIndex + publishers.count * part / parts
      let end = publishers.startIndex + publishers.count * (part + 1) / parts
      return end - start == 1 ? publishers[start] : zipped(publishers[start..<end])
    }
    return switch parts {
    case 0: Just([]).eraseToAnyPublisher()
    case 1: zips[0]
    case 2: zips[0].zip(zips[1]) { $0 + $1 }.eraseToAnyPublisher()
    case 3: zips[0].zip(zips[1], zips[2]) { $0 + $1 + $2 }.eraseToAnyPublisher()
    default: zips[0].zip(zips[1], zips[2], zips[3]) { $0 + $1 + $2 + $3 }.eraseToAnyPublisher()
    }
  }
#endif
