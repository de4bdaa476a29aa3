/// The schedules that have been tried and are to be tried, depth first: the path of the one that runs, and what else is wanted at each of
/// its nodes.
///
/// Reduced, it is source-DPOR (Abdulla, Aronis, Jonsson and Sagonas, "Optimal Dynamic Partial Order Reduction", POPL 2014, algorithm 1).
/// After each schedule, every two steps of it that race (dependent, and nothing between them orders them) are looked at: unless what is
/// wanted at the earlier one's node leads to the reversed order, a step that does is added there. Sleep sets (Godefroid, CAV 1990) end a
/// schedule that can lead to nothing new.
///
/// Steps here may end others: of two answers to one call, one comes. What a step has disabled, or the last of a schedule has left, is wanted in
/// its place, too.
struct ScheduleTree {
  struct Node {
    var enabled: [Step] = []
    var chosen = 0
    var footprint = Footprint.everything
    /// What leads to something new, as far as is known: indices of enabled.
    var wanted = Bits()
    /// What would lead to nothing new from here.
    var asleep: [Sleeper] = []
    /// What was tried from here.
    var explored: [Sleeper] = []
    /// The steps before that this one comes after in any order that is the same: numbers of nodes.
    var past = Bits()

    var step: Step { enabled[chosen] }

    func index(of id: UInt64) -> Int? { enabled.firstIndex { $0.id == id } }
    func sleeps(_ id: UInt64) -> Bool { asleep.contains { $0.id == id } }
  }

  struct Sleeper {
    let id: UInt64
    let footprint: Footprint
  }

  private let isReduced: Bool
  // The nodes on the way, of which the first `prefix` are followed. Kept from schedule to schedule with all their room.
  private(set) var nodes: [Node] = []
  private var prefix = 0
  /// How many steps of the schedule have been chosen.
  private(set) var depth = 0
  private var isCut = false
  /// How many schedules ended because all that could come was seen.
  private(set) var redundant = 0
  /// The same choices have led to other steps.
  private(set) var hasDiverged = false

  init(isReduced: Bool) { self.isReduced = isReduced }

  /// nil: nothing new can come, or the search has diverged.
  mutating func choose(of enabled: [Step], at depth: Int) -> Int? {
    assert(
      !isReduced || Set(enabled.map(\.id)).count == enabled.count, "two steps that are enabled share a name")
    if depth < prefix {
      hasDiverged = !enabled.elementsEqual(nodes[depth].enabled) { $0.id == $1.id }
      if hasDiverged { return nil }
      self.depth = depth + 1
      return nodes[depth].chosen
    }
    if depth == nodes.count { nodes.append(Node()) }
    nodes[depth].enabled.removeAll(keepingCapacity: true)
    nodes[depth].enabled.append(contentsOf: enabled)
    nodes[depth].explored.removeAll(keepingCapacity: true)
    nodes[depth].footprint = .everything
    nodes[depth].chosen = 0
    if isReduced {
      inheritSleepers(depth)
      guard let first = enabled.firstIndex(where: { !nodes[depth].sleeps($0.id) }) else {
        isCut = true
        redundant += 1
        return nil
      }
      nodes[depth].chosen = first
      nodes[depth].wanted.removeAll()
      nodes[depth].wanted.insert(first)
    }
    self.depth = depth + 1
    return nodes[depth].chosen
  }

  mutating func ran(_ footprint: Footprint) { nodes[depth - 1].footprint = footprint }

  var path: [Step] { nodes.prefix(depth).map(\.step) }

  /// What sleeps at the node before, or was tried there, sleeps on unless the step that led here depends on it.
  private mutating func inheritSleepers(_ depth: Int) {
    nodes[depth].asleep.removeAll(keepingCapacity: true)
    guard depth > 0 else { return }
    let footprint = nodes[depth - 1].footprint
    if footprint.writes == ~0 { return }
    for sleeper in nodes[depth - 1].asleep where !sleeper.footprint.isDependent(on: footprint) {
      nodes[depth].asleep.append(sleeper)
    }
    for sleeper in nodes[depth - 1].explored where !sleeper.footprint.isDependent(on: footprint) {
      nodes[depth].asleep.append(sleeper)
    }
  }

  /// Goes back to the last node where something else is to be chosen; false: there is none.
  mutating func next() -> Bool {
    if isReduced { findRaces() }
    isCut = false
    while depth > 0 {
      depth -= 1
      let chosen = nodes[depth].chosen
      if isReduced {
        nodes[depth].explored.append(Sleeper(id: nodes[depth].step.id, footprint: nodes[depth].footprint))
      }
      if let next = isReduced ? wanted(at: depth) : chosen + 1, next < nodes[depth].enabled.count {
        nodes[depth].chosen = next
        nodes[depth].footprint = .everything
        prefix = depth + 1
        return true
      }
    }
    return false
  }

  private func wanted(at depth: Int) -> Int? {
    nodes[depth].enabled.indices.first { index in
      let id = nodes[depth].enabled[index].id
      return nodes[depth].wanted.contains(index) && !nodes[depth].sleeps(id)
        && !nodes[depth].explored.contains { $0.id == id }
    }
  }

  // MARK: Races

  /// Looks at the steps that no earlier schedule has had in this place.
  private mutating func findRaces() {
    for late in max(0, prefix - 1)..<max(depth, prefix - 1, 0) {
      wantDisabled(at: late)
      for early in races(of: late) { reverse(early, late) }
    }
  }

  /// Finds what a step comes after, and which of these steps might as well have come after it.
  mutating func races(of late: Int) -> [Int] {
    nodes[late].past.removeAll()
    let enabler = enabler(of: late)
    // From the last to the first: what another one in between already orders is no race.
    var early = late - 1
    var races: [Int] = []
    while early >= 0 {
      if !nodes[late].past.contains(early) {
        // What it has awaited was needed, in whichever order.
        let isCause =
          early == enabler || nodes[early].step.lane == nodes[late].step.lane
          || nodes[early].footprint.adds & nodes[late].footprint.awaits != 0
        if isCause || nodes[early].footprint.isDependent(on: nodes[late].footprint) {
          nodes[late].past.formUnion(nodes[early].past)
          nodes[late].past.insert(early)
          if !isCause { races.append(early) }
        }
      }
      early -= 1
    }
    return races
  }

  /// After which step this one could run; nil: from the start.
  private func enabler(of late: Int) -> Int? {
    let id = nodes[late].step.id
    var node = late
    while node > 0, nodes[node - 1].index(of: id) != nil { node -= 1 }
    return node > 0 ? node - 1 : nil
  }

  /// What cannot run any more once this step has, and has not run: it is to run in its place.
  private mutating func wantDisabled(at place: Int) {
    let isLast = place + 1 == depth && !isCut
    for index in nodes[place].enabled.indices where index != nodes[place].chosen {
      if isLast || nodes[place + 1].index(of: nodes[place].enabled[index].id) == nil {
        nodes[place].wanted.insert(index)
      }
    }
  }

  /// Sees to it that a schedule comes in which the late step comes before the early one.
  private mutating func reverse(_ early: Int, _ late: Int) {
    // What lies between and does not come after the early one by necessity, and then the late one: what it begins with leads there.
    var between = Bits()
    var first: Int?
    for place in early + 1...late {
      let isFree = place == late || !nodes[place].past.contains(early)
      guard isFree else { continue }
      if nodes[place].past.isDisjoint(with: between), let index = nodes[early].index(of: nodes[place].step.id)
      {
        if nodes[early].wanted.contains(index) || nodes[early].sleeps(nodes[place].step.id) { return }
        if first == nil { first = index }
      }
      between.insert(place)
    }
    if let first { nodes[early].wanted.insert(first) }
  }

  /// Keeps a step that was chosen elsewhere.
  mutating func keep(_ choice: Int, of enabled: [Step], at depth: Int) {
    if depth == nodes.count { nodes.append(Node()) }
    (nodes[depth].enabled, nodes[depth].chosen, nodes[depth].footprint) = (enabled, choice, .everything)
    self.depth = depth + 1
  }
}

/// A set of small numbers.
struct Bits: Hashable {
  private var first: UInt64 = 0
  private var others: [UInt64] = []

  mutating func removeAll() {
    first = 0
    if !others.isEmpty { others.removeAll(keepingCapacity: true) }
  }

  func contains(_ number: Int) -> Bool {
    if number < 64 { return first & 1 << UInt64(number) != 0 }
    let word = number / 64 - 1
    return word < others.count && others[word] & 1 << UInt64(number % 64) != 0
  }

  mutating func insert(_ number: Int) {
    if number < 64 { return first |= 1 << UInt64(number) }
    let word = number / 64 - 1
    while others.count <= word { others.append(0) }
    others[word] |= 1 << UInt64(number % 64)
  }

  mutating func formUnion(_ other: Bits) {
    first |= other.first
    while others.count < other.others.count { others.append(0) }
    for word in other.others.indices { others[word] |= other.others[word] }
  }

  func isSubset(of other: Bits) -> Bool {
    var both = self
    both.formUnion(other)
    return both == other
  }

  func isDisjoint(with other: Bits) -> Bool {
    guard first & other.first == 0 else { return false }
    for word in 0..<min(others.count, other.others.count) where others[word] & other.others[word] != 0 {
      return false
    }
    return true
  }
}
