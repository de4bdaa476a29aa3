import Synchronization

extension CoScope {
  /// Runs a coroutine for each element at once, or as many as the scope's limit lets, and returns the results in the order
  /// of the elements, whatever the order in which they come; for the scope's owner.
  ///
  /// Cheaper than starting each with `async` and awaiting its future: without a limit its coroutines share one entry in
  /// the scope, and the owner goes on once, when every coroutine of the scope has finished.
  /// - Throws: the scope's error, such as the first that `transform` throws.
  @inlinable public func map<Element: Sendable, Value: Sendable>(
    _ elements: [Element], _ transform: @escaping @Sendable (Element) throws -> Value
  ) throws -> [Value] {
    if elements.isEmpty { return [] }
    let group = MapGroup(elements, transform)
    if isLimited {
      for child in group.children { try start(child) }
    } else {
      try start(group)
    }
    try waitForChildren()
    // Without an error every slot is filled.
    return group.results.map(\.unsafelyUnwrapped)
  }
}

/// The coroutines of one `map`, of whatever types.
@usableFromInline class AnyMapGroup: @unchecked Sendable {
  // Invariant: written in init by the subclass, read-only after. The scope keeps the group until the last child has left,
  // so the children need not.
  @usableFromInline @exclusivity(unchecked) final var children: [AnyCoFuture] = []
  private let remaining: Atomic<Int>

  @usableFromInline init(count: Int) { remaining = Atomic(count) }

  /// Says that children are done or will never start; true for the one who says it of the last.
  final func leave(_ count: Int = 1) -> Bool {
    remaining.subtract(count, ordering: .acquiringAndReleasing).newValue == 0
  }
}

@usableFromInline final class MapGroup<Element: Sendable, Value: Sendable>: AnyMapGroup, @unchecked Sendable {
  @usableFromInline let elements: [Element]
  @usableFromInline let transform: @Sendable (Element) throws -> Value
  // Invariant: one slot for each child, which alone writes it; read when all have left. Allocated in init, freed in
  // deinit, initialised in between.
  @usableFromInline let results: UnsafeMutableBufferPointer<Value?>

  @inlinable init(_ elements: [Element], _ transform: @escaping @Sendable (Element) throws -> Value) {
    self.elements = elements
    self.transform = transform
    results = .allocate(capacity: elements.count)
    results.initialize(repeating: nil)
    super.init(count: elements.count)
    children.reserveCapacity(elements.count)
    for index in elements.indices {
      // It captures nothing: what it needs it finds through the child.
      let child = AnyCoFuture { child in
        let group = unsafeDowncast(child.mapGroup!, to: MapGroup<Element, Value>.self)
        do {
          group.results[child.index] = try group.transform(group.elements[child.index])
        } catch {
          child.failure = error
        }
      }
      child.mapGroup = self
      child.index = index
      children.append(child)
    }
  }

  @inlinable deinit {
    results.deinitialize()
    results.deallocate()
  }
}
