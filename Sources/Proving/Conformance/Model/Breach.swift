/// A promise that was broken: by what was seen, and what had been promised there.
package struct Breach: Error, Sendable {
  package let rule: Promise
  let seen: String
  let promised: String
  /// How often in a row it must be seen to count: more than once if the moment may have been a bad one.
  let sightings: Int

  package init(_ rule: Promise, seen: String, promised: String, sightings: Int = 1) {
    (self.rule, self.seen, self.promised, self.sightings) = (rule, seen, promised, sightings)
  }

  package var text: String { "seen \(seen), required \(promised)" }
}
