/// Why two recorded runs cannot be compared at all: which, and what to do.
public struct RecordedProblem: Error, Hashable, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
