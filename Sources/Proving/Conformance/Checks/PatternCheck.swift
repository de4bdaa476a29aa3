import RawThreads
import UploadScenario

/// The check of one contender in one pattern, with the violations found so far.
final class PatternCheck {
  let kit: Conformance
  let pattern: Pattern
  let threads: AnsweringThreads
  let hangDetector: HangDetector
  private let deadlineNanoseconds: UInt64
  private var coverage = Coverage()
  /// The test cases that have run, because different requirements may generate the same test case.
  private var played: Set<String> = []
  private(set) var rule = Promise.ends
  private(set) var violations: [Violation] = []

  /// The requirements that the contender declares broken in this pattern.
  private let brokenRequirements: [BrokenRequirement]
  let knownBroken: Set<Promise>

  init(_ kit: Conformance, _ pattern: Pattern, deadlineNanoseconds: UInt64, threads: AnsweringThreads) {
    (self.kit, self.pattern, self.threads) = (kit, pattern, threads)
    self.deadlineNanoseconds = deadlineNanoseconds
    brokenRequirements = kit.contender.brokenRequirements.filter { $0.patterns.contains(pattern) }
    knownBroken = Set(brokenRequirements.flatMap(\.rules).compactMap(Promise.init(rawValue:)))
    hangDetector = HangDetector(nanoseconds: kit.patience.unsignedNanoseconds)
  }

  var contender: any Contender { kit.contender }

  /// Whether the time is up or six jobs have hung. Hangs do not count for a contender that declares broken requirements.
  var isOver: Bool {
    hangDetector.hangs >= 6 && knownBroken.isEmpty
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
        // Beyond `count`, only a rule that the contender declares broken gets more test cases, until one shows the breach.
        if number >= count, !isDoubtful(rule) { break }
        let play = draw(rule.descriptor.goals, number, mostUploads: most)
        let isRepeated = !played.insert("\(play.seed): \(play.text)").inserted
        if isRepeated || kit.isFirstLook && !play.isQuick { continue }
        run(play)
        if kit.isFirstLook {
          if violations.count > known { return }
          continue
        }
        for _ in 0..<play.rounds where !isOver && !isKnown(rule) { run(play) }
        // Large test cases take long, so one is enough.
        if play.scenario.fanOut >= 1_000 || play.company >= 100 && number > 0 { break }
      }
    }
  }

  /// Generates some test cases and returns the one that covers the most new combinations of traits. Test case 0 has exactly the
  /// configured seed, so that the seed in a violation repeats the violation.
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
      // Test cases that take long are not simplified.
      let end = now - begin > 400_000_000 ? now : min(deadlineNanoseconds, now + 500_000_000)
      while let (play, breach) = simpler(simplest, breach.rule, end) { (simplest, seen) = (play, breach) }
      report(seen, scenario: simplest.text, seed: play.seed)
    }
  }

  private func simpler(_ play: Play, _ rule: Promise, _ end: UInt64) -> (Play, Breach)? {
    for simpler in play.simpler where MonotonicClock.nanoseconds() < end && hangDetector.hangs < 3 {
      if let breach = broken(by: simpler).first(where: { $0.rule == rule }) { return (simpler, breach) }
    }
    return nil
  }

  /// Runs a test case, repeatedly if a busy machine may have caused a breach. Returns the breaches of all these runs.
  func broken(by play: Play) -> [Breach] {
    var breaches: [Breach] = []
    let least = play.isTimed || pattern.blocksThreads ? 3 : 1
    var (attempt, disturbed) = (0, 0)
    while true {
      let player: Player
      do { player = try Player(play, for: self, isConfirming: attempt > 0) } catch {
        return [Breach(rule, seen: "unreadable test media files: \(error)", promised: "no error")]
      }
      guard let seen = player.breaches() else {
        disturbed += 1
        if disturbed > 20 || isOver { return [] }
        continue
      }
      attempt += 1
      breaches = attempt == 1 ? seen : breaches.filter { known in seen.contains { $0.rule == known.rule } }
      let sure = breaches.filter { attempt >= max(least, $0.sightings) }
      // When the time is up, breaches that need more runs are dropped.
      if sure.count == breaches.count || isOver { return sure }
    }
  }

  /// The rule under which a breach is reported: the rule under test if that one is more specific than the breach's own rule.
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

  /// Whether the contender declares the rule broken, but no such breach has been found.
  private func isDoubtful(_ rule: Promise) -> Bool {
    brokenRequirements.contains { broken in
      broken.rules.contains(rule.rawValue)
        && !violations.contains { broken.rules.contains($0.rule) }
    }
  }

  func isKnown(_ rule: Promise) -> Bool { violations.contains { $0.rule == rule.rawValue } }
}
