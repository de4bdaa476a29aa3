import Exploration
import TestSupport

extension PlantedBug {
  /// Events in another order than in the source.
  static let ofOrder: [PlantedBug] = [
    PlantedBug("results in the order of completion", "Wrong") { _, isWrong in
      let results = await withTaskGroup(of: (Int, Int).self) { group in
        for index in 0..<2 {
          group.addTask {
            await Task.yield()
            return (index, index * 10)
          }
        }
        var results: [(Int, Int)] = []
        for await result in group { results.append(result) }
        return isWrong ? results : results.sorted { $0.0 < $1.0 }
      }
      guard results.map(\.1) == [0, 10] else { throw Wrong() }
    },
    PlantedBug("a deadline that comes before the answer is taken", "Wrong") {
      exploration, isWrong in
      // The endings of the request.
      let ends = Guarded<[String]>([])
      @Sendable func end(_ how: String) {
        ends.withLock { if isWrong || $0.isEmpty { $0.append(how) } }
      }
      await withTaskGroup(of: Void.self) { group in
        for how in ["late", "answered"] {
          group.addTask {
            try? await exploration.clock.sleep(for: .seconds(1))
            end(how)
          }
        }
      }
      guard ends.withLock(\.count) == 1 else { throw Wrong() }
    },
    PlantedBug("an order of messages that tasks do not keep", "Wrong") { _, isWrong in
      let log = Log()
      if isWrong {
        async let one: Void = log.append(1)
        async let other: Void = log.append(2)
        _ = await (one, other)
      } else {
        await log.append(1)
        await log.append(2)
      }
      guard await log.numbers == [1, 2] else { throw Wrong() }
    },
    PlantedBug("an unstructured task that is still at work", "Wrong") { _, isWrong in
      let counter = Counter()
      let task = Task { _ = counter.add() }
      if isWrong { await Task.yield() } else { await task.value }
      guard counter.current == 1 else { throw Wrong() }
    },
    PlantedBug("an older answer in place of a newer one", "Wrong") { _, isWrong in
      let field = Field(isWrong: isWrong)
      async let one: Void = field.ask()
      async let other: Void = field.ask()
      _ = await (one, other)
      guard await field.shown == 2 else { throw Wrong() }
    },
  ]
}

private actor Log {
  private(set) var numbers: [Int] = []
  func append(_ number: Int) { numbers.append(number) }
}

private actor Field {
  private let isWrong: Bool
  private var asked = 0
  private(set) var shown = 0

  init(isWrong: Bool) { self.isWrong = isWrong }

  func ask() async {
    asked += 1
    let number = asked
    await Task.yield()
    if isWrong || number == asked { shown = number }
  }
}
