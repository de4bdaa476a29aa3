/// The schedules that have been tried and are to be tried, depth first: the path of the one that runs, and what else is to be tried at
/// each of its nodes.
///
/// Reduced, sleep sets (Godefroid, "Using Partial Orders to Improve Automatic Verification Methods", CAV 1990) leave out schedules that
/// differ only in the order of independent steps. Whoever runs the steps may tell states apart: what was tried in a state is not tried
/// there again, as in Godefroid, Holzmann and Pirottin, "State-Space Caching Revisited", FMSD 1995.
struct ScheduleTree {
  private struct Node {
    var enabled: [Step] = []
    var chosen = 0
    /// Places in `enabled` that are still to be tried, the last one first.
    var left: [Int] = []
    /// How many there were.
    var count = 0
    var footprint = Footprint.everything
    /// What would lead to nothing new from here, as what has been tried here.
    var asleep: [Sleeper] = []
    /// How many departures from the default order led here.
    var departures = 0

    func sleeps(_ id: UInt64) -> Bool { asleep.contains { $0.id == id } }
  }

  private struct Sleeper {
    let id: UInt64
    let footprint: Footprint
  }

  /// More states are not kept, which take some tens of bytes each: then some are tried again.
  private static let mostStates = 16_000_000

  private let isReduced: Bool
  /// How often a schedule may depart from the order in which steps became ready.
  private let mostDepartures: Int
  // The nodes on the way, of which the first `prefix` are followed. Kept from schedule to schedule with all their room.
  private var nodes: [Node] = []
  private var prefix = 0
  /// How many steps of the schedule have been chosen.
  private var depth = 0
  /// What has not been tried in each state, as it slept whenever that was met.
  private var known: [UInt64: [UInt64]] = [:]
  /// How many schedules ended because all that could come was seen.
  private(set) var redundant = 0
  /// The same choices have led to other steps.
  private(set) var hasDiverged = false
  /// There are schedules with more departures.
  private(set) var isCut = false

  init(isReduced: Bool, mostDepartures: Int = .max) {
    (self.isReduced, self.mostDepartures) = (isReduced, mostDepartures)
  }

  /// How many states were told apart.
  var stateCount: Int { known.count }

  /// Which share of all schedules has been tried, if what is left of each node takes as long as what was tried of it.
  var progress: Double {
    var (tried, share) = (0.0, 1.0)
    for node in nodes.prefix(depth) {
      share /= Double(node.count)
      tried += share * Double(node.count - node.left.count - 1)
    }
    return tried
  }

  /// nil: nothing new can come, or the search has diverged.
  mutating func choose(of enabled: [Step], at depth: Int, in state: () -> UInt64?) -> Int? {
    assert(
      !isReduced || Set(enabled.map(\.id)).count == enabled.count, "two steps that are enabled share a name")
    if depth < prefix {
      self.depth = depth + 1
      let known = nodes[depth].enabled
      if enabled.elementsEqual(known, by: { $0.id == $1.id }) { return nodes[depth].chosen }
      // A step is the same wherever it stands.
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

  /// What sleeps at the node before, or was tried there, sleeps on unless the step that led here depends on it.
  private mutating func inheritSleepers(_ depth: Int) {
    nodes[depth].asleep.removeAll(keepingCapacity: true)
    guard depth > 0 else { return }
    let footprint = nodes[depth - 1].footprint
    if footprint.writes == ~0 { return }
    for sleeper in nodes[depth - 1].asleep where !sleeper.footprint.isDependent(on: footprint) {
      nodes[depth].asleep.append(sleeper)
    }
  }

  /// Of a state that was met before, what slept then and does not sleep now is left to be tried.
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

  /// Goes back to the last node where something else is to be tried; false: there is none.
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
