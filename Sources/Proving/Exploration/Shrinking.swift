/// The choices of fewest deviations from the order of becoming ready that still fail, as far as leaving out choices leads there (after
/// Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", TSE 2002).
///
/// - Parameters:
///   - choices: those of a schedule that fails.
///   - tries: how many schedules are run at most.
///   - run: follows choices; returns those that were made if it failed the same way, nil if it did not.
/// - Returns: choices that fail, without the zeros at their end.
public func shrunk(_ choices: [Int], tries: Int = 2_000, _ run: ([Int]) -> [Int]?) -> [Int] {
  var best = choices
  var left = tries

  func weight(_ choices: [Int]) -> (Int, Int, Int) {
    (choices.count { $0 > 0 }, choices.count, choices.reduce(0, +))
  }

  func isBetter(_ candidate: [Int]) -> Bool {
    guard left > 0 else { return false }
    left -= 1
    guard let made = run(candidate), weight(made) < weight(best) else { return false }
    best = made
    return true
  }

  var chunk = max(1, best.count / 2)
  while left > 0 {
    var hasImproved = false
    var start = 0
    while start < best.count, left > 0 {
      let range = start..<min(start + chunk, best.count)
      if best[range].contains(where: { $0 > 0 }) {
        var candidate = best
        for index in range { candidate[index] = 0 }
        var shorter = best
        shorter.removeSubrange(range)
        if isBetter(candidate) || isBetter(shorter) { hasImproved = true }
      }
      start += chunk
    }
    if chunk > 1 { chunk /= 2 } else if !hasImproved { break }
  }
  // Smaller deviations instead of larger ones.
  var index = 0
  while index < best.count {
    while index < best.count, best[index] > 1 {
      var candidate = best
      candidate[index] -= 1
      if !isBetter(candidate) { break }
    }
    index += 1
  }
  while best.last == 0 { best.removeLast() }
  return best
}
