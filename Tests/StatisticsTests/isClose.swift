func isClose(_ a: Double?, _ b: Double, tolerance: Double = 1e-12) -> Bool {
  guard let a else { return false }
  return abs(a - b) <= tolerance * max(1, abs(b))
}
