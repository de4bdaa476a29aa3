/// A call whose parts a test ends, and that checks what its callbacks see.
package protocol Observed: Sendable {
  var hasCompleted: Bool { get }
  func cancel()
  func endParts(reversed: Bool)
  /// Lets the next timer call back.
  func passTime()
  /// Notes what is wrong when no thread uses it any more.
  func checkEnd()
}

/// Ends the parts of calls of every shape, each against a cancellation, another order or a timer on another thread.
///
/// - Parameter begin: makes a call, which adds what is wrong to the log.
/// - Returns: what was wrong.
package func raceEnds<Shape, Call: Observed>(
  of shapes: [Shape], _ begin: (Shape, Log<String>) -> Call
) -> Set<String> {
  let (wrong, opponent) = (Log<String>(), Opponent())
  for round in 0..<Effort.count(3_000, thorough: 100_000) {
    let call = begin(shapes[round % shapes.count], wrong)
    let kind = round / shapes.count % 3
    opponent.race {
      call.endParts(reversed: false)
    } against: {
      switch kind {
      case 0: call.cancel()
      case 1: call.endParts(reversed: true)
      default: call.passTime()
      }
    }
    for _ in 0..<10 where !call.hasCompleted {
      call.endParts(reversed: false)
      call.passTime()
    }
    call.checkEnd()
  }
  return Set(wrong.entries)
}
