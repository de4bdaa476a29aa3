import Futures
import RuntimeOperations

public let futureOperations = RuntimeContender(
  name: "futures", summary: "Futures, the runtime of this package",
  implementations: [
    .promiseCallback: summing { count, tally in
      for index in 0..<count {
        let promise = Promise<Int>()
        promise.future.whenComplete { result in
          if case .success(let value) = result { tally.add(value) }
        }
        promise.succeed(index)
      }
    },
    .allOfMany: summing { count, tally in
      let promises = (0..<count).map { _ in Promise<Int>() }
      Future.all(promises.map(\.future)).whenComplete { result in
        if case .success(let values) = result { tally.add(values.reduce(0, +)) }
      }
      for (index, promise) in promises.enumerated() { promise.succeed(index) }
    },
    .mapChain: summing { count, tally in
      let promise = Promise<Int>()
      var future = promise.future
      for _ in 0..<count { future = future.map { $0 + 1 } }
      future.whenComplete { result in
        if case .success(let value) = result { tally.add(value) }
      }
      promise.succeed(0)
    },
    .taskGroup: summing { count, tally in
      Future.all((0..<count).map { Future(value: $0) }).whenComplete { result in
        if case .success(let values) = result { tally.add(values.reduce(0, +)) }
      }
    },
  ])
