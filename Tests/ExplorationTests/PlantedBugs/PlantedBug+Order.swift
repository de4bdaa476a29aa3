import Exploration
import TestSupport

extension PlantedBug {
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
    PlantedBug("an order of messages that tasks do not keep", "Wrong") { _, isWrong in
      let log = Entries()
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
      let field = Field()
      async let one: Void = field.ask(isWrong: isWrong)
      async let other: Void = field.ask(isWrong: isWrong)
      _ = await (one, other)
      guard await field.shown == 2 else { throw Wrong() }
    },
    PlantedBug("re-entrancy: closed while another task opens it again", "Wrong") { _, isWrong in
      let line = Line()
      try await withThrowingTaskGroup { group in
        for _ in 0..<2 {
          group.addTask {
            await line.open()
            await Task.yield()
            guard await line.isOpen else { throw Wrong() }
            await line.close(isWrong: isWrong)
          }
        }
        try await group.waitForAll()
      }
    },
  ]
}

private actor Field {
  private var asked = 0
  private(set) var shown = 0

  func ask(isWrong: Bool) async {
    asked += 1
    let number = asked
    await Task.yield()
    if isWrong || number == asked { shown = number }
  }
}

private actor Line {
  private var users = 0
  private(set) var isOpen = false

  func open() {
    users += 1
    isOpen = true
  }

  func close(isWrong: Bool) async {
    users -= 1
    guard users == 0 else { return }
    await Task.yield()
    if isWrong || users == 0 { isOpen = false }
  }
}
