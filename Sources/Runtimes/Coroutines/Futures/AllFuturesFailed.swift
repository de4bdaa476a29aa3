/// Every future, or every body, given to `any` failed.
///
/// One of the errors may be another of this kind, and so on: any number within each other is freed in bounded stack.
public struct AllFuturesFailed: Error, CustomStringConvertible {
  private let storage: Storage

  /// In the order of what was given.
  public var errors: [any Error] { storage.errors }

  public var description: String { "all failed: \(errors)" }

  @usableFromInline init(errors: [any Error]) { storage = Storage(errors) }

  /// `@unchecked Sendable`: `errors` is written by init, and by the deinit of this one or of the only one that refers to it.
  private final class Storage: @unchecked Sendable {
    var errors: [any Error]

    init(_ errors: [any Error]) { self.errors = errors }

    deinit {
      while !errors.isEmpty {
        guard var inner = takeLast(), isKnownUniquelyReferenced(&inner) else { continue }
        errors += inner.errors
        inner.errors = []
      }
    }

    /// A function of its own, so that it lets go of the error.
    private func takeLast() -> Storage? { (errors.removeLast() as? AllFuturesFailed)?.storage }
  }
}
