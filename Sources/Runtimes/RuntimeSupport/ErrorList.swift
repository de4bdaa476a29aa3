/// The errors of all attempts, in the order of the attempts.
///
/// An error may itself be such a list. Unlike arrays, lists nested to any depth are freed in a bounded amount of stack.
public struct ErrorList: RandomAccessCollection, ExpressibleByArrayLiteral, CustomStringConvertible,
  Equatable, Sendable
{
  private let storage: Storage

  /// `@unchecked Sendable`: `errors` is written only by init and deinit.
  private final class Storage: @unchecked Sendable {
    @exclusivity(unchecked) var errors: [any Error]

    init(_ errors: [any Error]) { self.errors = errors }

    deinit {
      Nesting.release {
        errors = []
      } orHold: {
        errors
      }
    }
  }

  public init(_ errors: some Sequence<any Error>) { storage = Storage(Array(errors)) }

  public init(arrayLiteral errors: any Error...) { self.init(errors) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { storage.errors.count }
  public subscript(position: Int) -> any Error { storage.errors[position] }
  public var description: String { storage.errors.description }

  /// Two lists are equal if they have the same number of errors, because errors cannot be compared.
  public static func == (left: Self, right: Self) -> Bool { left.count == right.count }
}
