/// Refers to an object without keeping it.
///
/// `@unchecked Sendable`: `object` is set once, before the reference is shared.
package final class WeakReference: @unchecked Sendable {
  package private(set) weak var object: AnyObject?
  package init(_ object: AnyObject) { self.object = object }
}
