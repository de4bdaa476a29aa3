/// A promise that was broken: by what was seen, and what had been promised there.
package struct Breach: Error, Sendable {
  package let rule: Promise
  let seen: String
  let promised: String
  /// How often in a row it must be seen to count: more than once if it may be due to a thread that was kept from running.
  let sightings: Int

  package init(_ rule: Promise, seen: String, promised: String, mayBeTheMachine: Bool = false) {
    (self.rule, self.seen, self.promised, sightings) = (rule, seen, promised, mayBeTheMachine ? 6 : 1)
  }

  package var text: String { "seen \(seen), required \(promised)" }
}
