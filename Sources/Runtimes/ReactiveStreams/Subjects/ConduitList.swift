/// A subject's subscriptions, in the order of their arrival; it retains them.
///
/// Linked through the conduits: going through it counts no reference, and taking one out takes the same time
/// however many there are. It belongs to the subject's mailbox, where whatever a subscriber does from inside a
/// signal waits until the signal is over: the list never changes while somebody goes through it.
@usableFromInline
struct ConduitList<Output: Sendable, Failure: Error>: ~Copyable {
  @usableFromInline typealias Member = Conduit<Output, Failure>

  @usableFromInline var first: Unmanaged<Member>?
  @usableFromInline var last: Unmanaged<Member>?

  @inlinable init() {}

  @inlinable
  deinit {
    var rest = first
    while let member = rest {
      rest = member._withUnsafeGuaranteedRef { $0.next }
      member.release()
    }
  }

  @inlinable
  func forEach(_ body: (Member) -> Void) {
    var rest = first
    while let member = rest {
      rest = member._withUnsafeGuaranteedRef {
        body($0)
        return $0.next
      }
    }
  }

  @usableFromInline
  mutating func append(_ member: Member) {
    let link = Unmanaged.passRetained(member)
    member.isListed = true
    member.previous = last
    if let last { last._withUnsafeGuaranteedRef { $0.next = link } } else { first = link }
    last = link
  }

  /// Takes a member out, if it is in.
  @usableFromInline
  mutating func remove(_ member: Member) {
    guard member.isListed else { return }
    member.isListed = false
    if let previous = member.previous {
      previous._withUnsafeGuaranteedRef { $0.next = member.next }
    } else {
      first = member.next
    }
    if let next = member.next {
      next._withUnsafeGuaranteedRef { $0.previous = member.previous }
    } else {
      last = member.previous
    }
    Unmanaged.passUnretained(member).release()
  }

  /// Takes the first member out.
  @usableFromInline
  mutating func popFirst() -> Member? {
    guard let member = first?.takeUnretainedValue() else { return nil }
    remove(member)
    return member
  }
}
