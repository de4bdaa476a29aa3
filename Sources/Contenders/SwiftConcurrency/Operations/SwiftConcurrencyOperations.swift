import RuntimeOperations

public let swiftConcurrencyOperations = RuntimeContender(
  name: "swift-concurrency", summary: "async/await, tasks and AsyncStream, as the toolchain ships them",
  implementations: [
    .coroutineSwitch: { count in
      performAsync {
        let tally = Tally()
        for _ in 0..<count / 2 {
          tally.add(1)
          await Task.yield()
        }
        return tally.sum
      }
    },
    .coroutineStart: { count in
      performAsync {
        let tally = Tally()
        for index in 0..<count { tally.add(await Task { index }.value) }
        return tally.sum
      }
    },
    .coroutineStartSuspend: { count in
      performAsync {
        let tally = Tally()
        for index in 0..<count {
          var task: Task<Int, Never>?
          let waiting = await withCheckedContinuation { started in
            task = Task { await withCheckedContinuation { started.resume(returning: $0) } }
          }
          waiting.resume(returning: index)
          tally.add(await task?.value ?? 0)
        }
        return tally.sum
      }
    },
    .awaitReady: { count in
      performAsync {
        let tally = Tally()
        let task = Task { 1 }
        for index in 0..<count { tally.add(await task.value * index) }
        return tally.sum
      }
    },
    .awaitPending: { count in
      performAsync {
        let tally = Tally()
        for index in 0..<count {
          tally.add(await withCheckedContinuation { $0.resume(returning: index) })
        }
        return tally.sum
      }
    },
    .suspended: suspend, .suspendedMillion: suspend,
    .channelOneThread: { count in
      performAsync {
        let tally = Tally()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        var elements = stream.makeAsyncIterator()
        for value in 0..<count {
          continuation.yield(value)
          if value % 100 == 99 {
            for _ in 0..<100 { tally.add(await elements.next() ?? 0) }
          }
        }
        return tally.sum
      }
    },
    .channelTwoThreads: { count in
      performAsync {
        let tally = Tally()
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        // It has no backpressure: the sender runs ahead.
        let sender = Task {
          for value in 0..<count { continuation.yield(value) }
          continuation.finish()
        }
        for await value in stream { tally.add(value) }
        await sender.value
        return tally.sum
      }
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
    .taskSequence: { count in
      performAsync {
        let tally = Tally()
        for index in 0..<count { tally.add(await job(index)) }
        return tally.sum
      }
    },
    .sequenceToSink: { count in
      performAsync {
        let tally = Tally()
        for await value in counting(to: count) { tally.add(value) }
        return tally.sum
      }
    },
    .mapFilterMap: { count in
      performAsync {
        let tally = Tally()
        let results = counting(to: count).map { $0 + 1 }.filter { $0.isMultiple(of: 2) }.map { $0 * 2 }
        for await value in results { tally.add(value) }
        return tally.sum
      }
    },
    .flatMap: { count in
      performAsync {
        let tally = Tally()
        for await value in counting(to: count).flatMap({ value in
          AsyncStream {
            $0.yield(value); $0.finish()
          }
        }) {
          tally.add(value)
        }
        return tally.sum
      }
    },
  ])

@inline(never) private func job(_ index: Int) async -> Int { index }

/// The numbers below `count`, as a stream that is pulled.
private func counting(to count: Int) -> AsyncStream<Int> {
  let tally = Tally()
  return AsyncStream {
    defer { tally.add(1) }
    return tally.sum < count ? tally.sum : nil
  }
}

private func suspend(_ count: Int) -> Int {
  performAsync {
    let tally = Tally()
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
    return tally.sum
  }
}
