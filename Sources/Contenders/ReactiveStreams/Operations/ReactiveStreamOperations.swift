import ReactiveStreams
import RuntimeOperations

public let reactiveStreamOperations = RuntimeContender(
  name: "reactive-streams", summary: "ReactiveStreams, the runtime of this package",
  implementations: [
    .sequenceToSink: summing { count, tally in
      _ = (0..<count).publisher.sink { tally.add($0) }
    },
    .subjectToSink: summing { count, tally in
      let subject = PassthroughSubject<Int, Never>()
      let sink = subject.sink { tally.add($0) }
      for value in 0..<count { subject.send(value) }
      sink.cancel()
    },
    .mapFilterMap: summing { count, tally in
      _ = (0..<count).publisher.map { $0 + 1 }.filter { $0.isMultiple(of: 2) }.map { $0 * 2 }
        .sink { tally.add($0) }
    },
    .zip3: summing { count, tally in
      let numbers = (0..<count).publisher
      _ = numbers.zip(numbers, numbers).sink { tally.add($0.0 + $0.1 + $0.2) }
    },
    .zipMany: summing { count, tally in
      _ = (0..<count).map { Just($0) }.zip().sink { tally.add($0.reduce(0, +)) }
    },
    .flatMap: summing { count, tally in
      _ = (0..<count).publisher.flatMap { Just($0) }.sink { tally.add($0) }
    },
    .merge: summing { count, tally in
      _ = (0..<100).map { _ in (0..<count / 100).publisher }.merge().sink { tally.add($0) }
    },
  ])
