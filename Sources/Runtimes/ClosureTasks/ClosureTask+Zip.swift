extension ClosureTask {
  /// The tasks at once, of whatever types; their values in the order of the arguments.
  ///
  /// The first failure is the outcome, as in a `group`.
  public static func zip<each Part: Sendable>(_ tasks: repeat ClosureTask<each Part>) -> ClosureTask
  where Output == (repeat each Part) {
    var erased: [ClosureTask<any Sendable>] = []
    repeat erased.append((each tasks).map { $0 as any Sendable })
    return ClosureTask<[any Sendable]>.group(erased).map { values in
      var rest = values[...]
      func next<Value>(_ type: Value.Type) -> Value {
        // The group's values are in the order of the tasks, each of its task's type.
        rest.removeFirst() as! Value
      }
      return (repeat next((each Part).self))
    }
  }
}
