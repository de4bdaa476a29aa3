/// What is counted of a post.
public enum CountedQuantity: String, Sendable, CaseIterable {
  case allocations
  case allocatedBytes = "allocated bytes"
  /// Swift objects on the heap.
  case objects
  /// Reference counts raised.
  case retains

  /// For people.
  public var perPost: String { "\(rawValue) per post" }
}
