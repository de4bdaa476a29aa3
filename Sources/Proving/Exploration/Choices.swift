import UploadScenario

/// Who decides what comes next: a schedule is nothing but the list of what was chosen.
struct Choices {
  private var prefix: ArraySlice<Int>
  private var generator: SeededGenerator?
  /// What was chosen so far, each of how many.
  private(set) var taken: [(choice: Int, count: Int)] = []

  /// Chooses as told, and the first that is possible after that.
  init(following prefix: [Int]) { self.prefix = prefix[...] }

  /// Chooses at random.
  init(seed: UInt64) {
    prefix = []
    generator = SeededGenerator(seed: seed)
  }

  /// Which of `count` (1 or more) comes next.
  mutating func choose(of count: Int) -> Int {
    var choice = min(prefix.popFirst() ?? 0, count - 1)
    if generator != nil { choice = Int.random(in: 0..<count, using: &generator!) }
    if count > 1 { taken.append((choice, count)) }
    return choice
  }

  /// What to follow next so that, one after another, all schedules there are come up; nil: this was the last.
  var successor: [Int]? {
    var next = taken
    while let last = next.popLast() {
      if last.choice + 1 < last.count { return next.map(\.choice) + [last.choice + 1] }
    }
    return nil
  }
}
