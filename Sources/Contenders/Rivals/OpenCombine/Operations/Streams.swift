#if OpenCombine
  import OpenCombine

  /// The operations on streams, as users of Combine write them.
  enum Streams {
    static func sequenceToSink(_ count: Int) -> Int {
      sum((0..<count).publisher)
    }

    static func subjectToSink(_ count: Int) -> Int {
      let subject = PassthroughSubject<Int, Never>()
      var sum = 0
      let subscription = subject.sink { sum += $0 }
      for element in 0..<count { subject.send(element) }
      subject.send(completion: .finished)
      return withExtendedLifetime(subscription) { sum }
    }

    static func mapFilterMap(_ count: Int) -> Int {
      sum((0..<count).publisher.map { $0 + 1 }.filter { $0.isMultiple(of: 2) }.map { $0 * 2 })
    }

    static func zip3(_ count: Int) -> Int {
      let numbers = (0..<count).publisher
      return sum(numbers.zip(numbers, numbers).map { $0 + $1 + $2 })
    }

    static func zipMany(_ count: Int) -> Int {
      let publishers = (0..<count).map { Just([$0]).eraseToAnyPublisher() }
      return sum(zipped(publishers[...]).map { $0.reduce(0, +) })
    }

    static func flatMap(_ count: Int) -> Int {
      sum((0..<count).publisher.flatMap { Just($0) })
    }

    /// OpenCombine has no `merge` of many; its users flatten them.
    static func merge(_ count: Int) -> Int {
      sum((0..<100).publisher.flatMap { _ in (0..<count / 100).publisher })
    }

    private static func sum(_ publisher: some Publisher<Int, Never>) -> Int {
      var sum = 0
      let subscription = publisher.sink { sum += $0 }
      return withExtendedLifetime(subscription) { sum }
    }

    /// OpenCombine zips at most four publishers, so its users zip many by a tree of such zips.
    private static func zipped(
      _ publishers: ArraySlice<AnyPublisher<[Int], Never>>
    ) -> AnyPublisher<[Int], Never> {
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
  }
#endif
