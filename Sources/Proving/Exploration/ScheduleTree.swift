/// A depth-first search of schedules (interleavings of steps). It holds the path of the current one, and the untried choices at
/// each node of the path.
///
/// A reduced search uses sleep sets (Godefroid, "Using Partial Orders to Improve Automatic Verification Methods", CAV 1990),
/// which skip schedules that differ only in the order of independent steps. State hashes avoid trying a choice twice in the
/// same state (Godefroid, Holzmann and Pirottin, "State-Space Caching Revisited", FMSD 1995).
struct ScheduleTree {
  private struct Node {
    var enabled: [Step] = []
    var chosen = 0
    /// Indices in `enabled` of the steps that are still to be tried, the last one first.
    var left: [Int] = []
    /// The number of steps in `left` before the first of them was tried.
    var count = 0
    var footprint = Footprint.everything
    /// The sleep set: steps that lead to no new interleaving from this node, including those already tried here.
    var asleep: [Sleeper] = []
    /// The number of departures from the default order on the path to this node.
    var departures = 0

    func sleeps(_ id: UInt64) -> Bool { asleep.contains { $0.id == id } }
  }

  private struct Sleeper {
    let id: UInt64
    let footprint: Footprint
  }

  /// The maximum number of states to remember, each in some tens of bytes. Further states may be searched again.
  private static let mostStates = 16_000_000

  private let isReduced: Bool
  private let mostDepartures: Int
  // The nodes of the path. The first `prefix` nodes are replayed. The array is never shortened, to reuse its memory.
  private var nodes: [Node] = []
  private var prefix = 0
  private var depth = 0
  /// For each state that was reached before: the steps still untried there, because they were in the sleep set each time.
  private var known: [UInt64: [UInt64]] = [:]
  private(set) var redundant = 0
  private(set) var hasDiverged = false
  /// Whether `mostDepartures` excluded some paths.
  private(set) var isCut = false

  init(isReduced: Bool, mostDepartures: Int = .max) {
    (self.isReduced, self.mostDepartures) = (isReduced, mostDepartures)
  }

  var stateCount: Int { known.count }

  /// An estimate of the share of paths tried so far. It assumes that all choices at a node lead to equally many paths.
  var progress: Double {
    var (tried, share) = (0.0, 1.0)
    for node in nodes.prefix(depth) {
      share /= Double(node.count)
      tried += share * Double(node.count - node.left.count - 1)
    }
    return tried
  }

  /// Returns the index of the next step. `nil` if all continuations were tried, or if a replayed node has other steps.
  mutating func choose(of enabled: [Step], at depth: Int, in state: () -> UInt64?) -> Int? {
    assert(
      !isReduced || Set(enabled.map(\.id)).count == enabled.count,
      "two enabled steps have the same identifier")
    if depth < prefix {
      self.depth = depth + 1
      let known = nodes[depth].enabled
      if enabled.elementsEqual(known, by: { $0.id == $1.id }) { return nodes[depth].chosen }
      // The same steps may be listed in another order in a repeated run.
      let id = known[nodes[depth].chosen].id
      hasDiverged = Set(enabled.map(\.id)) != Set(known.map(\.id))
      return hasDiverged ? nil : enabled.firstIndex { $0.id == id }
    }
    if depth == nodes.count { nodes.append(Node()) }
    nodes[depth].enabled.removeAll(keepingCapacity: true)
    nodes[depth].enabled.append(contentsOf: enabled)
    nodes[depth].footprint = .everything
    nodes[depth].left.removeAll(keepingCapacity: true)
    if isReduced { inheritSleepers(depth) }
    nodes[depth].departures = departures(before: depth)
    if nodes[depth].departures < mostDepartures {
      for place in enabled.indices.reversed() where !isReduced || !nodes[depth].sleeps(enabled[place].id) {
        nodes[depth].left.append(place)
      }
    } else {
      nodes[depth].left.append(0)
      if enabled.count > 1 { isCut = true }
    }
    if isReduced, let state = state() { leaveOutKnown(depth, state) }
    nodes[depth].count = nodes[depth].left.count
    guard let first = nodes[depth].left.popLast() else {
      redundant += 1
      return nil
    }
    nodes[depth].chosen = first
    self.depth = depth + 1
    return first
  }

  private func departures(before depth: Int) -> Int {
    guard depth > 0 else { return 0 }
    return nodes[depth - 1].departures + (nodes[depth - 1].chosen > 0 ? 1 : 0)
  }

  mutating func ran(_ footprint: Footprint) { nodes[depth - 1].footprint = footprint }

  /// Copies the sleep set of the previous node, without the steps that depend on the step taken there.
  private mutating func inheritSleepers(_ depth: Int) {
    nodes[depth].asleep.removeAll(keepingCapacity: true)
    guard depth > 0 else { return }
    let footprint = nodes[depth - 1].footprint
    if footprint.writes == ~0 { return }
    for sleeper in nodes[depth - 1].asleep where !sleeper.footprint.isDependent(on: footprint) {
      nodes[depth].asleep.append(sleeper)
    }
  }

  /// If this state was reached before, tries only the steps that were in the sleep set each time.
  private mutating func leaveOutKnown(_ depth: Int, _ state: UInt64) {
    guard let before = known[state] else {
      if known.count < Self.mostStates { known[state] = nodes[depth].asleep.map(\.id) }
      return
    }
    let enabled = nodes[depth].enabled
    nodes[depth].left.removeAll { !before.contains(enabled[$0].id) }
    nodes[depth].asleep.removeAll { !before.contains($0.id) }
    if nodes[depth].asleep.count < before.count { known[state] = nodes[depth].asleep.map(\.id) }
  }

  /// Goes back to the last node with an untried choice. Returns false if no node has one.
  mutating func next() -> Bool {
    while depth > 0 {
      depth -= 1
      if isReduced {
        let id = nodes[depth].enabled[nodes[depth].chosen].id
        nodes[depth].asleep.append(Sleeper(id: id, footprint: nodes[depth].footprint))
      }
      if let next = nodes[depth].left.popLast() {
        nodes[depth].chosen = next
        nodes[depth].footprint = .everything
        prefix = depth + 1
        return true
      }
    }
    return false
  }
}
