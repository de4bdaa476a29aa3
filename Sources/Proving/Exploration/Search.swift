/// Chooses the next of the steps that can run, for one schedule (interleaving) after another. A caller starts each schedule
/// with `begin`. It calls `choose` before each step, and `ran` after it with the objects that the step touched.
///
/// - Exhaustive: stateless depth-first search that runs each schedule from its start (Godefroid, "Model Checking for
///   Programming Languages using VeriSoft", POPL 1997). If reduced, the search ends a schedule early if it differs from another
///   only in the order of independent steps, or reaches a known state (`ScheduleTree`).
/// - Bounded: few departures from the order in which steps became ready (Musuvathi and Qadeer, "Iterative Context Bounding for
///   Systematic Testing of Multithreaded Programs", PLDI 2007).
/// - By priorities: each task (lane) has a random priority, and the highest one runs. At `changes` random steps the running
///   task gets the lowest priority (Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs",
///   ASPLOS 2010; their d is changes + 1).
/// - Uniform: each choice is uniformly random among the steps that can run.
public final class Search {
  /// The method by which interleavings of steps are chosen.
  public enum Strategy: Sendable, Hashable {
    /// All interleavings, in depth-first order.
    case exhaustive(reduced: Bool)
    /// All interleavings with at most this many departures from the order in which steps became ready.
    case bounded(departures: Int)
    /// Random priorities of tasks, which change this many times in each run.
    case priorities(seed: UInt64, changes: Int)
    /// Each choice is uniformly random.
    case uniform(seed: UInt64)
    /// One interleaving: these choices, then always the first of the steps that can run.
    case following([Int])
  }

  /// The number of interleavings that have begun.
  public private(set) var schedules = 0
  /// The number of interleavings that ended early because the search had already tried all their continuations.
  public var redundant: Int { tree.redundant }
  package var stateCount: Int { tree.stateCount }
  package var progress: Double { tree.progress }
  /// Whether the search has tried every interleaving of its strategy.
  public private(set) var isExhausted = false
  var isCut: Bool { tree.isCut }
  /// Whether the same choices led to other steps, because the code also depends on something else, such as the time.
  public var hasDiverged: Bool { tree.hasDiverged }

  private let strategy: Strategy
  private let isExhaustive: Bool
  package let isReduced: Bool
  private let journal: Journal?

  @exclusivity(unchecked) private var tree: ScheduleTree
  @exclusivity(unchecked) private var objects: [UInt64: Int] = [:]
  @exclusivity(unchecked) package private(set) var depth = 0
  /// The choice at each step of the current run. To replay the run, pass the choices to the strategy `following`.
  @exclusivity(unchecked) public private(set) var choices: [Int] = []

  @exclusivity(unchecked) private var generator: Generator
  @exclusivity(unchecked) private var priorities: [(lane: UInt64, priority: UInt64)] = []
  @exclusivity(unchecked) private var changePoints: [Int] = []
  @exclusivity(unchecked) private var longest = 10

  /// Creates a search by this method.
  public convenience init(_ strategy: Strategy) { self.init(strategy, journal: nil) }

  package init(_ strategy: Strategy, journal: Journal?) {
    (self.strategy, self.journal) = (strategy, journal)
    isReduced = strategy == .exhaustive(reduced: true)
    (isExhaustive, tree, generator) =
      switch strategy {
      case .exhaustive: (true, ScheduleTree(isReduced: isReduced), Generator(state: 0))
      case .bounded(let departures):
        (true, ScheduleTree(isReduced: false, mostDepartures: departures), Generator(state: 0))
      case .priorities(let seed, _), .uniform(let seed):
        (false, ScheduleTree(isReduced: false), Generator(state: seed))
      case .following: (false, ScheduleTree(isReduced: false), Generator(state: 0))
      }
  }

  /// Starts the next interleaving. Returns false if none is left.
  public func begin() -> Bool {
    if schedules > 0, isExhaustive, !tree.next() { isExhausted = true }
    if schedules > 0, case .following = strategy { isExhausted = true }
    guard !isExhausted, !hasDiverged else { return false }
    schedules += 1
    longest = max(longest, depth)
    depth = 0
    journal?.rewind()
    choices.removeAll(keepingCapacity: true)
    if case .priorities(_, let changes) = strategy {
      priorities.removeAll(keepingCapacity: true)
      changePoints.removeAll(keepingCapacity: true)
      for _ in 0..<changes { changePoints.append(Int(generator.next() % UInt64(longest))) }
    }
    return true
  }

  /// Returns the index of the next step. `nil` means that all continuations were tried before: abandon this run unjudged.
  ///
  /// - Parameters:
  ///   - enabled: the steps that can run now, at least one.
  ///   - state: a hash of the state, evaluated only by a reduced search. Equal hashes promise that the same steps lead to equal
  ///     states; `nil` means unknown.
  public func choose(of enabled: [Step], in state: @autoclosure () -> UInt64? = nil) -> Int? {
    let choice = isExhaustive ? tree.choose(of: enabled, at: depth, in: state) : sample(enabled)
    depth += 1
    journal?.tick()
    if let choice, enabled.count > 1 {
      choices.append(choice)
      journal?.append(choice)
    }
    return choice
  }

  /// Reports the objects that the chosen step touched. A step without such a report counts as touching all objects.
  public func ran(_ footprint: Footprint) {
    if isExhaustive { tree.ran(footprint) }
  }

  /// The number from 0 to 63 that stands for this object in a `Footprint`. All objects after the first 63 share one number.
  package func object(_ name: UInt64) -> Int {
    if let object = objects[name] { return object }
    let count = objects.count
    guard count < Footprint.shared else { return Footprint.shared }
    objects[name] = count
    return count
  }

  private func sample(_ enabled: [Step]) -> Int {
    switch strategy {
    case .uniform: return enabled.count == 1 ? 0 : Int(generator.next() % UInt64(enabled.count))
    case .following(let choices):
      guard enabled.count > 1, self.choices.count < choices.count else { return 0 }
      return min(max(0, choices[self.choices.count]), enabled.count - 1)
    case .priorities:
      var best = highest(enabled)
      if let place = changePoints.firstIndex(of: depth) {
        // All initial priorities have the highest bit set. The running lane gets a priority below them.
        let lane = enabled[best].lane
        priorities[priorities.firstIndex { $0.lane == lane }!].priority = UInt64(place)
        best = highest(enabled)
      }
      return best
    case .exhaustive, .bounded: return 0
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
}

/// SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014).
package struct Generator: RandomNumberGenerator {
  var state: UInt64

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  package static func mix(_ value: UInt64) -> UInt64 {
    var value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// Derives an identifier for the `index`-th step that the step `cause` makes ready.
  package static func derive(_ cause: UInt64, _ index: UInt64) -> UInt64 {
    mix(cause &+ (index &+ 1) &* 0x9E37_79B9_7F4A_7C15)
  }
}

/// Shrinks the choices of a failing interleaving to fewer departures from the default order, by leaving out choices (after
/// Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", TSE 2002).
///
/// - Parameters:
///   - choices: choices that fail. 0 stands for the default order.
///   - tries: the maximum number of runs.
///   - run: runs these choices. If they fail in the same way, returns the choices that were made, and otherwise `nil`.
/// - Returns: Choices that fail, without trailing zeros.
public func shrunk(_ choices: [Int], tries: Int = 2_000, _ run: ([Int]) -> [Int]?) -> [Int] {
  var best = choices
  var left = tries

  func weight(_ choices: [Int]) -> (Int, Int, Int) {
    (choices.count { $0 > 0 }, choices.count, choices.reduce(0, +))
  }

  func isBetter(_ candidate: [Int]) -> Bool {
    guard left > 0 else { return false }
    left -= 1
    guard let made = run(candidate), weight(made) < weight(best) else { return false }
    best = made
    return true
  }

  var chunk = max(1, best.count / 2)
  while left > 0 {
    var hasImproved = false
    var start = 0
    while start < best.count, left > 0 {
      let range = start..<min(start + chunk, best.count)
      if best[range].contains(where: { $0 > 0 }) {
        var candidate = best
        for index in range { candidate[index] = 0 }
        var shorter = best
        shorter.removeSubrange(range)
        if isBetter(candidate) || isBetter(shorter) { hasImproved = true }
      }
      start += chunk
    }
    if chunk > 1 { chunk /= 2 } else if !hasImproved { break }
  }
  var index = 0
  while index < best.count {
    while index < best.count, best[index] > 1 {
      var candidate = best
      candidate[index] -= 1
      if !isBetter(candidate) { break }
    }
    index += 1
  }
  while best.last == 0 { best.removeLast() }
  return best
}
