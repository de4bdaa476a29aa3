#if OpenCombine
  import RuntimeOperations

  /// OpenCombine's publishers, and its `Future` as a future, all on the calling thread.
  ///
  /// No `map-chain-1000`: the subscriber of a map holds the next one by value, and a subscription to a chain of 1 000
  /// copies itself down a stack of 8 MiB and past its end, in release builds too.
  public let openCombineOperations = RuntimeContender(
    name: "open-combine", summary: "OpenCombine: publishers with demand, written as for Combine",
    performances: [
      .promiseCallback: Futures.promiseCallback, .allOfMany: Futures.all,
      .sequenceToSink: Streams.sequenceToSink, .subjectToSink: Streams.subjectToSink,
      .mapFilterMap: Streams.mapFilterMap, .zip3: Streams.zip3, .zipMany: Streams.zipMany,
      .flatMap: Streams.flatMap, .merge: Streams.merge,
    ])
#endif
