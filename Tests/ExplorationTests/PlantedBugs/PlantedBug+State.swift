import Exploration

extension PlantedBug {
  /// What changes while somebody who has looked at it waits.
  static let ofState: [PlantedBug] = [
    PlantedBug("re-entrancy: a balance that was checked before a wait", "Wrong") { _, isWrong in
      let account = Account()
      async let one: Void = account.take(80, isWrong: isWrong)
      async let other: Void = account.take(80, isWrong: isWrong)
      _ = await (one, other)
      guard await account.balance >= 0 else { throw Wrong() }
    },
    PlantedBug("re-entrancy: a cache that loads twice", "Wrong") { _, isWrong in
      let cache = Cache()
      async let one: Void = cache.load(isWrong: isWrong)
      async let other: Void = cache.load(isWrong: isWrong)
      _ = await (one, other)
      guard await cache.loads == 1 else { throw Wrong() }
    },
    PlantedBug("a lost update between two messages", "Wrong") { _, isWrong in
      let cell = Cell()
      @Sendable func add() async {
        if isWrong { await cell.set(cell.value + 1) } else { await cell.add() }
      }
      async let one: Void = add()
      async let other: Void = add()
      _ = await (one, other)
      guard await cell.value == 2 else { throw Wrong() }
    },
    PlantedBug("re-entrancy: closed while somebody opens it again", "Wrong") { _, isWrong in
      let line = Line(isWrong: isWrong)
      try await withThrowingTaskGroup { group in
        for _ in 0..<2 {
          group.addTask {
            await line.open()
            await Task.yield()
            guard await line.isOpen else { throw Wrong() }
            await line.close()
          }
        }
        try await group.waitForAll()
      }
    },
  ]
}

private actor Account {
  private(set) var balance = 100

  func take(_ amount: Int, isWrong: Bool) async {
    guard balance >= amount else { return }
    if isWrong { await Task.yield() }
    balance -= amount
  }
}

private actor Cache {
  private(set) var loads = 0
  private var value: Int?
  private var loading: Task<Int, Never>?

  func load(isWrong: Bool) async {
    if value != nil { return }
    if isWrong {
      loads += 1
      await Task.yield()
      value = 1
    } else {
      if loading == nil {
        loads += 1
        loading = Task { 1 }
      }
      value = await loading?.value
    }
  }
}

private actor Cell {
  private(set) var value = 0
  func set(_ value: Int) { self.value = value }
  func add() { value += 1 }
}

private actor Line {
  private let isWrong: Bool
  private var users = 0
  private(set) var isOpen = false

  init(isWrong: Bool) { self.isWrong = isWrong }

  func open() {
    users += 1
    isOpen = true
  }

  func close() async {
    users -= 1
    guard users == 0 else { return }
    await Task.yield()
    if isWrong || users == 0 { isOpen = false }
  }
}
