/// Decides which of the enabled steps comes next, schedule after schedule. It knows nothing of what the steps do: whoever runs them
/// asks it before each (`choose`), tells it what the step has touched (`ran`), and starts anew for the next schedule (`begin`).
///
/// - Exhaustively: stateless depth-first search, each schedule run from its start (Godefroid, "Model Checking for Programming
///   Languages using VeriSoft", POPL 1997). Reduced, of schedules that differ only in the order of independent steps, one is run
///   to its end (`ScheduleTree`). Others may be begun, and end where that is known.
/// - By priorities: each lane has a random one, the highest goes first, and at `changes` random steps the running lane's becomes the
///   lowest. A bug that needs so many changes is found by one schedule with a probability of at least 1/(n k^changes), with n lanes and
///   k steps (Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010; their d is
///   changes + 1).
/// - Uniformly at random, of what is enabled.
public final class Search {
  /// How schedules are chosen.
  public enum Strategy: Sendable, Hashable {
    /// All of them, in order.
    case exhaustive(reduced: Bool)
    /// Random priorities, of which so many change on the way.
    case priorities(seed: UInt64, changes: Int)
    /// At random, each enabled step alike.
    case uniform(seed: UInt64)
    /// One schedule: these choices, and the first that is enabled after that.
    case following([Int])
  }

  /// How many schedules have begun.
  public private(set) var schedules = 0
  /// How many of them ended because all that they could lead to had been seen.
  public private(set) var redundant = 0
  /// Every schedule there is was tried.
  public private(set) var isExhausted = false
  /// The same choices led elsewhere than before: what runs depends on something that is not a step.
  public private(set) var hasDiverged = false

  private let strategy: Strategy
  private let isExhaustive: Bool
  private let journal: Journal?

  private var tree: ScheduleTree
  private var names: [UInt64] = []
  /// How many steps the schedule has.
  package private(set) var depth = 0

  /// Whether random schedules are kept in the tree, too, for `path`, and for an estimate of how many there are.
  private let isKept: Bool

  // The samples.
  private var generator: Generator
  private var taken: [Int] = []
  private var priorities: [(lane: UInt64, priority: UInt64)] = []
  private var changePoints: [Int] = []
  private var longest = 10

  /// A search that has tried nothing yet.
  ///
  /// - Parameter strategy: how schedules are chosen.
  public convenience init(_ strategy: Strategy) { self.init(strategy, journal: nil) }

  /// One that writes what it chooses before it runs.
  package init(_ strategy: Strategy, journal: Journal?, isKept: Bool = false) {
    (self.strategy, self.journal, self.isKept) = (strategy, journal, isKept)
    switch strategy {
    case .exhaustive(let reduced):
      (isExhaustive, generator, tree) = (true, Generator(state: 0), ScheduleTree(isReduced: reduced))
    case .priorities(let seed, _), .uniform(let seed):
      (isExhaustive, generator, tree) = (false, Generator(state: seed), ScheduleTree(isReduced: false))
    case .following:
      (isExhaustive, generator, tree) = (false, Generator(state: 0), ScheduleTree(isReduced: false))
    }
  }

  /// Random schedules that tell how many a reduced search would run: each by an estimate that is right on average.
  package static func sizes(seed: UInt64, of count: Int, run: (Search) -> Void) -> [Double] {
    let search = Search(.uniform(seed: seed), journal: nil, isKept: true)
    return (0..<count).map { _ in
      _ = search.begin()
      run(search)
      return search.tree.estimatedSize()
    }
  }

  /// Starts the next schedule; false: there is none left.
  public func begin() -> Bool {
    if schedules > 0, isExhaustive, !tree.next() { isExhausted = true }
    if schedules > 0, case .following = strategy { isExhausted = true }
    guard !isExhausted, !hasDiverged else { return false }
    schedules += 1
    longest = max(longest, depth)
    depth = 0
    journal?.rewind()
    taken.removeAll(keepingCapacity: true)
    if case .priorities(_, let changes) = strategy {
      priorities.removeAll(keepingCapacity: true)
      changePoints.removeAll(keepingCapacity: true)
      for _ in 0..<changes { changePoints.append(Int(generator.next() % UInt64(longest))) }
    }
    return true
  }

  /// Which of `enabled` (one or more) comes next; nil: whatever does, it was seen. The schedule is then not to be judged.
  public func choose(of enabled: [Step]) -> Int? {
    let choice = next(of: enabled)
    depth += 1
    if let journal {
      journal.tick()
      if let choice, enabled.count > 1 { journal.append(choice) }
    }
    return choice
  }

  private func next(of enabled: [Step]) -> Int? {
    guard isExhaustive else {
      let choice = sample(enabled)
      if enabled.count > 1 { taken.append(choice) }
      if isKept { tree.keep(choice, of: enabled, at: depth) }
      return choice
    }
    switch tree.choose(of: enabled, at: depth) {
    case .step(let choice): return choice
    case .nothingNew: redundant += 1
    case .elsewhere: hasDiverged = true
    }
    return nil
  }

  /// What the chosen step has touched; who does not say it has chosen one that touches everything.
  public func ran(_ footprint: Footprint) {
    if isExhaustive || isKept { tree.ran(footprint) }
  }

  /// The steps of this schedule, if it is kept.
  package var path: [Step] { tree.path }

  /// What was chosen in this schedule, wherever there was a choice: what `following` takes.
  public var choices: [Int] {
    isExhaustive ? tree.choices : taken
  }

  /// The object of `Footprint` that stands for what has this name, in all schedules. What comes after the first 63 shares the last.
  package func object(_ name: UInt64) -> Int {
    if let known = names.firstIndex(of: name) { return known }
    guard names.count < Footprint.shared else { return Footprint.shared }
    names.append(name)
    return names.count - 1
  }

  // MARK: Samples

  private func sample(_ enabled: [Step]) -> Int {
    switch strategy {
    case .uniform: return enabled.count == 1 ? 0 : Int(generator.next() % UInt64(enabled.count))
    case .following(let choices):
      guard enabled.count > 1, taken.count < choices.count else { return 0 }
      return min(max(0, choices[taken.count]), enabled.count - 1)
    case .priorities:
      var best = highest(enabled)
      if let place = changePoints.firstIndex(of: depth) {
        // Lower than all others that there are, which have the highest bit.
        setPriority(of: enabled[best].lane, UInt64(place))
        best = highest(enabled)
      }
      return best
    case .exhaustive: return 0
    }
  }

  private func highest(_ enabled: [Step]) -> Int {
    var (best, top): (Int, UInt64) = (0, 0)
    for (index, step) in enabled.enumerated() {
      let priority = priority(of: step.lane)
      if index == 0 || priority > top { (best, top) = (index, priority) }
    }
    return best
  }

  private func priority(of lane: UInt64) -> UInt64 {
    if let known = priorities.first(where: { $0.lane == lane }) { return known.priority }
    let priority = generator.next() | 1 << 63
    priorities.append((lane, priority))
    return priority
  }

  private func setPriority(of lane: UInt64, _ priority: UInt64) {
    if let index = priorities.firstIndex(where: { $0.lane == lane }) { priorities[index].priority = priority }
  }
}

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  static func mix(_ value: UInt64) -> UInt64 {
    var value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// A number for the `index`-th thing that came of `cause`.
  static func derive(_ cause: UInt64, _ index: UInt64) -> UInt64 {
    mix(cause &+ (index &+ 1) &* 0x9E37_79B9_7F4A_7C15)
  }
}
