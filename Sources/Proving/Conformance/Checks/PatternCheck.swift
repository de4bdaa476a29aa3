import RawThreads
import UploadScenario

/// One contender with one pattern: what is tried with it, and the violations that came to light.
final class PatternCheck {
  let kit: Conformance
  let pattern: Pattern
  let threads: AnsweringThreads
  let patience: Patience
  private let deadlineNanoseconds: UInt64
  private var coverage = Coverage()
  /// What need not be played again: rules with the same goals begin with the same play.
  private var played: Set<String> = []
  /// The rule that is being tried.
  private(set) var rule = Promise.ends
  /// The first one of each rule.
  private(set) var violations: [Violation] = []

  /// What the contender says it breaks here.
  private let brokenRequirements: [BrokenRequirement]
  /// Its rules.
  let knownBroken: Set<Promise>

  init(
    _ kit: Conformance, _ pattern: Pattern, deadlineNanoseconds: UInt64, threads: AnsweringThreads
  ) {
    (self.kit, self.pattern, self.threads) = (kit, pattern, threads)
    self.deadlineNanoseconds = deadlineNanoseconds
    brokenRequirements = kit.contender.brokenRequirements.filter { $0.patterns.contains(pattern) }
    knownBroken = Set(brokenRequirements.flatMap(\.rules).compactMap(Promise.init(rawValue:)))
    patience = Patience(nanoseconds: kit.patience.unsignedNanoseconds)
  }

  var contender: any Contender { kit.contender }

  /// Whether the budget is used up, or so many jobs hung that nothing new is to be learned. Of a contender that says what it breaks
  /// all is tried.
  var isOver: Bool {
    patience.hangs >= 6 && knownBroken.isEmpty
      || MonotonicClock.nanoseconds() >= deadlineNanoseconds
  }

  func run(_ rule: Promise) {
    self.rule = rule
    let known = violations.count
    if let script = rule.descriptor.script {
      script(self)
    } else {
      let isAny = rule == .anySchedule
      let most = min(kit.mostUploads, contender.mostInFlight ?? .max, isAny ? 1_000 : .max)
      if !kit.isFirstLook {
        for play in Play.sweep(of: rule, pattern, seed: kit.seed, mostUploads: most)
        where !isOver && !isKnown(rule) { run(play) }
      }
      let count = isAny ? kit.schedules : kit.plays
      for number in 0..<(isDoubtful(rule) ? count * 50 : count) where !isOver && !isKnown(rule) {
        // What is said to break and has not shown itself is drawn more often: seeds are not to decide whether it does.
        if number >= count, !isDoubtful(rule) { break }
        let play = draw(rule.descriptor.goals, number, mostUploads: most)
        // It tells as much under one rule as under another.
        let isRepeated = !played.insert("\(play.seed): \(play.text)").inserted
        if isRepeated || kit.isFirstLook && !play.isQuick { continue }
        run(play)
        if kit.isFirstLook {
          // What came to light is reported when the rule has been tried.
          if violations.count > known { return }
          continue
        }
        // Where threads meet, each time is another one.
        for _ in 0..<play.rounds where !isOver && !isKnown(rule) { run(play) }
        // Large ones take long, and one tells as much as another.
        if play.scenario.fanOut >= 1_000 || play.company >= 100 && number > 0 { break }
      }
    }
  }

  /// The seed of a violation is that of its play: with it, the play comes first. Of later ones the newest of some is taken.
  private func draw(_ goals: [Goal], _ number: Int, mostUploads: Int) -> Play {
    let count = Conformance.seedsPerPlay
    let seeds = (0..<(number == 0 ? 1 : count)).map { kit.seed &+ UInt64(number) * count &+ $0 }
    let plays = seeds.map { Play(goals, pattern, seed: $0, mostUploads: mostUploads) }
    return coverage.newest(of: plays)
  }

  private func run(_ play: Play) {
    guard var play = play.avoiding(knownBroken, under: rule) else { return }
    play.scenario.context = kit.context
    let begin = MonotonicClock.nanoseconds()
    for breach in broken(by: play) where !isKnown(name(of: breach)) {
      var (simplest, seen) = (play, breach)
      let now = MonotonicClock.nanoseconds()
      // Of what takes long, because it hangs or is about time, a simpler one costs more than it tells.
      let end = now - begin > 400_000_000 ? now : min(deadlineNanoseconds, now + 500_000_000)
      while let (play, breach) = simpler(simplest, breach.rule, end) { (simplest, seen) = (play, breach) }
      report(seen, scenario: simplest.text, seed: play.seed)
    }
  }

  /// The first simpler play that breaks the same rule; nil: none does, or time is up.
  private func simpler(_ play: Play, _ rule: Promise, _ end: UInt64) -> (Play, Breach)? {
    for simpler in play.simpler where MonotonicClock.nanoseconds() < end && patience.hangs < 3 {
      if let breach = broken(by: simpler).first(where: { $0.rule == rule }) { return (simpler, breach) }
    }
    return nil
  }

  /// What a play breaks. What may have been a bad moment must be seen several times in a row.
  func broken(by play: Play) -> [Breach] {
    var breaches: [Breach] = []
    let least = play.isTimed || pattern.blocksThreads ? 3 : 1
    var (attempt, disturbed) = (0, 0)
    while true {
      let player: Player
      do { player = try Player(play, for: self, isConfirming: attempt > 0) } catch {
        return [Breach(rule, seen: "\(error)", promised: "media that can be read")]
      }
      guard let seen = player.breaches() else {
        disturbed += 1
        if disturbed > 20 || isOver { return [] }
        continue
      }
      attempt += 1
      breaches = attempt == 1 ? seen : breaches.filter { known in seen.contains { $0.rule == known.rule } }
      let sure = breaches.filter { attempt >= max(least, $0.sightings) }
      // What was not seen often enough when time is up is not known.
      if sure.count == breaches.count || isOver { return sure }
    }
  }

  /// The rule that is being tried, if it says more than what was seen.
  private func name(of breach: Breach) -> Promise {
    rule.isSpecial && breach.rule.isVague ? rule : breach.rule
  }

  func report(_ breach: Breach, scenario: String, seed: UInt64? = nil) {
    let rule = name(of: breach)
    guard !isKnown(rule) else { return }
    violations.append(
      Violation(
        rule: Rule(rule), contender: contender.name, pattern: pattern, scenario: scenario,
        seed: seed ?? kit.seed,
        seen: breach.seen, promised: breach.promised))
  }

  /// Whether the contender says that it breaks the rule, and neither that nor what has the same cause has shown itself.
  private func isDoubtful(_ rule: Promise) -> Bool {
    brokenRequirements.contains { broken in
      broken.rules.contains(rule.rawValue)
        && !violations.contains { broken.rules.contains($0.rule) }
    }
  }

  func isKnown(_ rule: Promise) -> Bool { violations.contains { $0.rule == rule.rawValue } }
}
