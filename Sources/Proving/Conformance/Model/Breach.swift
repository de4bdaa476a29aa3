/// A promise that was broken: by what was seen, and what had been promised there.
package struct Breach: Error, Sendable {
  package let rule: Promise
  let seen: String
  let promised: String
  /// The moment may have been a bad one: only what is seen every time counts.
  var isDoubtful = false

  package init(_ rule: Promise, seen: String, promised: String) {
    (self.rule, self.seen, self.promised) = (rule, seen, promised)
  }

  package var text: String { "seen \(seen), required \(promised)" }
}
