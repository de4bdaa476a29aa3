import Futures
import RuntimeOperations

public let futureOperations = RuntimeContender(
  name: "futures", summary: "Futures, the runtime of this package",
  implementations: [
    .promiseCallback: { count in
      let tally = Tally()
      for index in 0..<count {
        let promise = Promise<Int>()
        promise.future.whenComplete { result in
          if case .success(let value) = result { tally.add(value) }
        }
        promise.succeed(index)
      }
      return tally.sum
    },
    .allOfMany: { count in
      let tally = Tally()
      let promises = (0..<count).map { _ in Promise<Int>() }
      Future.all(promises.map(\.future)).whenComplete { result in
        if case .success(let values) = result { tally.add(values.reduce(0, +)) }
      }
      for (index, promise) in promises.enumerated() { promise.succeed(index) }
      return tally.sum
    },
    .mapChain: { count in
      let tally = Tally()
      let promise = Promise<Int>()
      var future = promise.future
      for _ in 0..<count { future = future.map { $0 + 1 } }
      future.whenComplete { result in
        if case .success(let value) = result { tally.add(value) }
      }
      promise.succeed(0)
      return tally.sum
    },
    .taskGroup: { count in
      let tally = Tally()
      Future.all((0..<count).map { Future(value: $0) }).whenComplete { result in
        if case .success(let values) = result { tally.add(values.reduce(0, +)) }
      }
      return tally.sum
    },
  ])
