import Exploration
import TestSupport

extension PlantedBug {
  static let ofWaiting: [PlantedBug] = [
    PlantedBug("a lost wake-up", "waits forever") { _, isWrong in
      let door = Door()
      async let passed: Void = door.pass(isWrong: isWrong)
      async let opened: Void = door.open()
      _ = await (passed, opened)
    },
    PlantedBug("one waits, and a second one takes its place", "waits forever") { _, isWrong in
      let signal = Signal()
      async let one: Void = signal.wait(isWrong: isWrong)
      async let other: Void = signal.wait(isWrong: isWrong)
      async let set: Void = signal.set()
      _ = await (one, other, set)
    },
    PlantedBug("two locks, taken in two orders", "waits forever") { _, isWrong in
      let (one, other) = (Lock(), Lock())
      @Sendable func use(_ first: Lock, _ second: Lock) async {
        await first.lock()
        await second.lock()
        await second.unlock()
        await first.unlock()
      }
      async let here: Void = use(one, other)
      async let there: Void = isWrong ? use(other, one) : use(one, other)
      _ = await (here, there)
    },
    PlantedBug("a stream that the first of its writers finishes", "Wrong") { _, isWrong in
      let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
      let written = Counter()
      @Sendable func write(_ number: Int) async {
        continuation.yield(number)
        if written.add() == (isWrong ? 1 : 2) { continuation.finish() }
      }
      async let one: Void = write(1)
      async let other: Void = write(2)
      var count = 0
      for await _ in stream { count += 1 }
      _ = await (one, other)
      guard count == 2 else { throw Wrong() }
    },
  ]
}

private actor Door {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  func pass(isWrong: Bool) async {
    if isOpen { return }
    if isWrong { await Task.yield() }
    await withCheckedContinuation { waiting.append($0) }
  }
}

private actor Signal {
  private var isSet = false
  private var waiting: [UnsafeContinuation<Void, Never>] = []

  func wait(isWrong: Bool) async {
    if isSet { return }
    await withUnsafeContinuation { continuation in
      if isWrong { waiting = [continuation] } else { waiting.append(continuation) }
    }
  }

  func set() {
    isSet = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}

private actor Lock {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func lock() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func unlock() { if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() } }
}
