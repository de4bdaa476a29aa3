/// A promise that was broken: by what was seen, and what had been promised there.
package struct Breach: Error, Sendable {
  package let rule: Promise
  let seen: String
  let promised: String
  /// How often in a row it must be seen to count: more than once if the moment may have been a bad one.
  var sightings = 1

  package init(_ rule: Promise, seen: String, promised: String) {
    (self.rule, self.seen, self.promised) = (rule, seen, promised)
  }

  package var text: String { "seen \(seen), required \(promised)" }
}
