import Exploration

extension PlantedBug {
  /// State that changes between a check and its use.
  static let ofState: [PlantedBug] = [
    PlantedBug("re-entrancy: a balance that was checked before a wait", "Wrong") { _, isWrong in
      let account = Account()
      async let one: Void = account.take(80, isWrong: isWrong)
      async let other: Void = account.take(80, isWrong: isWrong)
      _ = await (one, other)
      guard await account.balance >= 0 else { throw Wrong() }
    },
    PlantedBug("re-entrancy: closed while another task opens it again", "Wrong") { _, isWrong in
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
