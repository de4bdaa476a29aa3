/// What is wrong with one value, as the end of a sentence that begins with the column's name.
public struct FieldProblem: Error, Equatable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
