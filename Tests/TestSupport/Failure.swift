/// An error that a test recognises.
package struct Failure: Error, Equatable {
  package var code: Int
  package init(code: Int = 1) { self.code = code }
}
