import RuntimeOperations

public let swiftConcurrencyOperations = RuntimeContender(
  name: "swift-concurrency", summary: "async/await, tasks and AsyncStream, as the toolchain ships them",
  implementations: [
    .coroutineSwitch: summingAsync { count, tally in
      for _ in 0..<count / 2 {
        tally.add(1)
        await Task.yield()
      }
    },
    .coroutineStart: summingAsync { count, tally in
      for index in 0..<count { tally.add(await Task { index }.value) }
    },
    .coroutineStartSuspend: summingAsync { count, tally in
      for index in 0..<count {
        var task: Task<Int, Never>?
        let waiting = await withCheckedContinuation { started in
          task = Task { await withCheckedContinuation { started.resume(returning: $0) } }
        }
        waiting.resume(returning: index)
        tally.add(await task?.value ?? 0)
      }
    },
    .awaitReady: summingAsync { count, tally in
      let task = Task { 1 }
      for index in 0..<count { tally.add(await task.value * index) }
    },
    .awaitResumed: summingAsync { count, tally in
      for index in 0..<count {
        tally.add(await withCheckedContinuation { $0.resume(returning: index) })
      }
    },
    .awaitPending: summingAsync { count, tally in
      let caller = Caller()
      async let waiting: Void = caller.await(times: count, tally)
      await caller.call(times: count)
      await waiting
    },
    .suspended: suspend, .suspendedMillion: suspend,
    .channelOneThread: summingAsync { count, tally in
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      var elements = stream.makeAsyncIterator()
      for value in 0..<count {
        continuation.yield(value)
        if value % 100 == 99 {
          for _ in 0..<100 { tally.add(await elements.next() ?? 0) }
        }
      }
    },
    .channelTwoThreads: summingAsync { count, tally in
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      // An `AsyncStream` has no backpressure, so the sender does not wait for the receiver.
      let sender = Task {
        for value in 0..<count { continuation.yield(value) }
        continuation.finish()
      }
      for await value in stream { tally.add(value) }
      await sender.value
    },
    .taskGroup: { count in
      performAsync {
        await withTaskGroup(of: (index: Int, value: Int).self) { group in
          for index in 0..<count { group.addTask { (index, index) } }
          var values = [Int](repeating: 0, count: count)
          for await result in group { values[result.index] = result.value }
          return values.reduce(0, +)
        }
      }
    },
    .taskSequence: summingAsync { count, tally in
      for index in 0..<count { tally.add(await job(index)) }
    },
    .sequenceToSink: summingAsync { count, tally in
      for await value in counting(to: count) { tally.add(value) }
    },
    .mapFilterMap: summingAsync { count, tally in
      let results = counting(to: count).map { $0 + 1 }.filter { $0.isMultiple(of: 2) }.map { $0 * 2 }
      for await value in results { tally.add(value) }
    },
    .flatMap: summingAsync { count, tally in
      for await value in counting(to: count).flatMap({ value in
        AsyncStream {
          $0.yield(value); $0.finish()
        }
      }) {
        tally.add(value)
      }
    },
  ])

@inline(never) private func job(_ index: Int) async -> Int { index }

/// A stream of the numbers below `count`, which makes each number on demand.
private func counting(to count: Int) -> AsyncStream<Int> {
  let tally = Tally()
  return AsyncStream {
    defer { tally.add(1) }
    return tally.sum < count ? tally.sum : nil
  }
}

private let suspend = summingAsync { count, tally in
  let (gate, opener) = AsyncStream.makeStream(of: Never.self)
  let opening = Task { for await _ in gate {} }
  let waiting = (0..<count).map { index in
    Task {
      await opening.value
      return index
    }
  }
  opener.finish()
  for task in waiting { tally.add(await task.value) }
}

/// An actor that interleaves two tasks: one waits for callbacks, and the other calls them.
private actor Caller {
  private var continuation: CheckedContinuation<Int, Never>?

  func await(times count: Int, _ tally: Tally) async {
    for _ in 0..<count { tally.add(await withCheckedContinuation { continuation = $0 }) }
  }

  func call(times count: Int) async {
    for index in 0..<count {
      while continuation == nil { await Task.yield() }
      continuation.take()?.resume(returning: index)
      await Task.yield()
    }
  }
}
