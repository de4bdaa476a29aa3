import RuntimeOperations

/// The least that could do each job, by hand: what the others are compared with.
public let referenceOperations = RuntimeContender(
  name: RuntimeOperation.referenceName, summary: "the least that could do the job; each operation says what",
  performances: coroutines.merging(channels) { $1 }.merging(futures) { $1 }.merging(streams) { $1 })

/// Hides a value from the optimiser, as a value that comes from somewhere else would be.
@inline(never) func opaque<Value>(_ value: Value) -> Value { value }

/// A closure that somebody else keeps.
typealias Step = (Int) -> Int
