import Exploration
import TestSupport
import Testing

@Suite(.ownThread) struct SearchTests {
  /// Processes that read one cell and write another in each step; the result depends on the order.
  private struct Program {
    /// The cells that each process reads and writes, step by step.
    let processes: [[(reads: Int, writes: Int)]]

    static func random(_ seed: UInt64) -> Program {
      var generator = SeededNumbers(seed: seed)
      return Program(
        processes: (0..<(2 + Int.random(in: 0...1, using: &generator))).map { _ in
          (0..<Int.random(in: 1...3, using: &generator)).map { _ in
            (Int.random(in: 0..<4, using: &generator), Int.random(in: 0..<4, using: &generator))
          }
        })
    }

    /// The memory at the end of a schedule; nil: it was abandoned.
    func run(_ search: Search, isMerged: Bool = false) -> [Int]? {
      var memory = Array(1...4)
      var next = [Int](repeating: 0, count: processes.count)
      while true {
        let enabled = processes.indices.filter { next[$0] < processes[$0].count }
        guard !enabled.isEmpty else { return memory }
        let steps = enabled.map { Step(id: UInt64($0 * 100 + next[$0]), lane: UInt64($0)) }
        var state: UInt64 {
          (memory + next).reduce(0) { $0 &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: Int64($1)) }
        }
        guard let choice = search.choose(of: steps, in: isMerged ? state : nil) else { return nil }
        let process = enabled[choice]
        let (read, written) = processes[process][next[process]]
        next[process] += 1
        // Few values, so that different orders lead to one state.
        memory[written] = (memory[written] * 2 + memory[read] + process) % 7
        var footprint = Footprint()
        footprint.reads(read)
        footprint.writes(written)
        search.ran(footprint)
      }
    }
  }

  private func outcomes(isReduced: Bool, of run: (Search) -> [Int]?) -> (
    outcomes: Set<[Int]>, schedules: Int, redundant: Int
  ) {
    let search = Search(.exhaustive(reduced: isReduced))
    var outcomes: Set<[Int]> = []
    while search.begin() { if let outcome = run(search) { outcomes.insert(outcome) } }
    #expect(search.isExhausted)
    return (outcomes, search.schedules, search.redundant)
  }

  @Test(arguments: [false, true]) func `reduction loses no outcome`(_ isMerged: Bool) {
    var (all, reduced) = (0, 0)
    for seed in 0..<UInt64(Effort.count(200, thorough: 2_000)) {
      let program = Program.random(seed)
      let plain = outcomes(isReduced: false) { program.run($0) }
      let fewer = outcomes(isReduced: true) { program.run($0, isMerged: isMerged) }
      #expect(plain.outcomes == fewer.outcomes, "seed \(seed)")
      #expect(fewer.schedules <= plain.schedules)
      all += plain.schedules
      reduced += fewer.schedules
    }
    #expect(reduced < all / 2)
    print("\(all) schedules without reduction, \(reduced) with it\(isMerged ? " and with states" : "")")
  }

  /// Calls that succeed or fail, with a bound on failures, each continued by its caller; and a cancellation, which ends all.
  private struct Answers {
    /// The cells that each caller reads and writes, before its call and after it.
    let callers: [[(reads: Int, writes: Int)]]
    let mostFailures: Int

    static func random(_ seed: UInt64) -> Answers {
      var generator = SeededNumbers(seed: seed)
      return Answers(
        callers: (0..<2).map { _ in
          (0..<2).map { _ in
            (Int.random(in: 0..<3, using: &generator), Int.random(in: 0..<3, using: &generator))
          }
        }, mostFailures: Int.random(in: 0...1, using: &generator))
    }

    func run(_ search: Search) -> [Int]? {
      var memory = [1, 2, 3]
      // 0: before its call, 1: waiting, 2: continuing, 3: ended.
      var states = callers.map { _ in 0 }
      var failures = 0
      while states.contains(where: { $0 < 3 }) {
        var steps: [Step] = []
        for caller in callers.indices {
          let id = UInt64(caller * 10)
          switch states[caller] {
          case 0, 2: steps.append(Step(id: id + UInt64(states[caller]), lane: id))
          case 1:
            steps.append(Step(id: id + 4))
            if failures < mostFailures { steps.append(Step(id: id + 5)) }
          default: break
          }
        }
        steps.append(Step(id: 99))
        guard let choice = search.choose(of: steps) else { return nil }
        let id = Int(steps[choice].id)
        if id == 99 { return memory + states }
        let (caller, kind) = (id / 10, id % 10)
        var footprint = Footprint()
        switch kind {
        case 0, 2:
          let (read, written) = callers[caller][kind / 2]
          memory[written] = memory[written] &* 31 &+ memory[read] &+ caller
          footprint.reads(read)
          footprint.writes(written)
          states[caller] += 1
        case 4: footprint.adds(to: 3)
        default:
          failures += 1
          memory[0] &*= 7
          footprint.writes(0)
          footprint.writes(3)
        }
        if kind > 3 {
          states[caller] = 2
          footprint.writes(4 + caller)
        }
        search.ran(footprint)
      }
      return memory
    }
  }

  @Test func `reduction reverses steps that disable others`() {
    var (all, reduced) = (0, 0)
    for seed in 0..<UInt64(Effort.count(100, thorough: 2_000)) {
      let answers = Answers.random(seed)
      let plain = outcomes(isReduced: false, of: answers.run)
      let fewer = outcomes(isReduced: true, of: answers.run)
      #expect(plain.outcomes == fewer.outcomes, "seed \(seed)")
      all += plain.schedules
      reduced += fewer.schedules
    }
    #expect(reduced < all)
    print("\(all) schedules of answers without reduction, \(reduced) with it")
  }

  /// More names than objects: the last names share one.
  @Test func `every name has its object`() {
    let search = Search(.uniform(seed: 1))
    let objects = (0..<70).map { search.object(UInt64($0)) }
    #expect(objects == Array(0..<63) + Array(repeating: 63, count: 7))
    #expect((0..<70).map { search.object(UInt64($0)) } == objects)
  }

  @Test func `independent steps have one schedule`() {
    let program = Program(processes: (0..<3).map { [($0, $0), ($0, $0)] })
    let plain = outcomes(isReduced: false) { program.run($0) }
    #expect(plain.schedules == 90)
    let reduced = outcomes(isReduced: true) { program.run($0) }
    #expect(reduced.schedules - reduced.redundant == 1)
  }

  /// Three ways lead to one state, where `x` and `y` are enabled: the first with `y` asleep, the second with `x`, the third with neither.
  @Test func `in a known state only sleeping steps are tried`() {
    let touched = ["y": [0], "p": [], "x": [1], "q": [0], "r": [0, 1]]
    let search = Search(.exhaustive(reduced: true))
    var ended: [String] = []
    while search.begin() {
      var way = ""
      while true {
        let enabled =
          switch way {
          case "": ["y", "p", "x", "q", "r"]
          case "p", "q", "r": ["x", "y"]
          default: way.count == 2 ? [way.last == "x" ? "y" : "x"] : []
          }
        if enabled.isEmpty {
          ended.append(way)
          break
        }
        let steps = enabled.map { Step(id: UInt64($0.utf8.first!)) }
        guard let choice = search.choose(of: steps, in: way.count == 1 ? 1 : nil) else { break }
        way += enabled[choice]
        var footprint = Footprint()
        for object in touched[enabled[choice]]! { footprint.writes(object) }
        search.ran(footprint)
      }
    }
    // The second way tries only `y`, then `x`, which was not tried there; nothing is left for the third.
    #expect(ended == ["y", "x", "qyx"])
    #expect(search.redundant == 2)
  }

  @Test func `a schedule is its choices`() throws {
    let program = Program.random(3)
    let search = Search(.uniform(seed: 5))
    for _ in 0..<20 {
      #expect(search.begin())
      let outcome = try #require(program.run(search))
      let again = Search(.following(search.choices))
      #expect(again.begin())
      #expect(program.run(again) == outcome)
      #expect(again.choices == search.choices)
      #expect(!again.begin())
    }
  }

  /// The bug: the last of three processes runs all of its ten steps before the first takes its second one.
  @Test func `priorities find what uniform choices miss`() {
    func found(_ strategy: Search.Strategy) -> Int {
      let search = Search(strategy)
      var found = 0
      for _ in 0..<1_000 {
        _ = search.begin()
        var next = [0, 0, 0]
        var isHit = false
        while true {
          let enabled = next.indices.filter { next[$0] < 10 }
          guard !enabled.isEmpty else { break }
          let steps = enabled.map { Step(id: UInt64($0 * 100 + next[$0]), lane: UInt64($0)) }
          next[enabled[search.choose(of: steps)!]] += 1
          if next[2] == 10, next[0] == 1 { isHit = true }
        }
        if isHit { found += 1 }
      }
      return found
    }
    // n = 3 lanes, k = 30 steps, one change: at least 1 of 90 schedules.
    #expect(found(.priorities(seed: 1, changes: 1)) >= 11)
    #expect(found(.uniform(seed: 1)) < 11)
  }

  @Test func `a run that diverges is noticed`() {
    let search = Search(.exhaustive(reduced: false))
    var ids: UInt64 = 0
    #expect(search.begin())
    func run() {
      ids += 10
      guard search.choose(of: [Step(id: ids), Step(id: ids + 1)]) != nil else { return }
      _ = search.choose(of: [Step(id: 1), Step(id: 2)])
    }
    run()
    #expect(search.begin())
    run()
    #expect(search.hasDiverged)
    #expect(!search.begin())
  }
}
