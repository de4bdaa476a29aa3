#if RxSwift
  import RuntimeOperations

  /// RxSwift's observables and subjects, all on the calling thread.
  public let rxSwiftOperations = RuntimeContender(
    name: "rx-swift", summary: "RxSwift: observables without demand",
    performances: [
      .sequenceToSink: Streams.sequenceToSink, .subjectToSink: Streams.subjectToSink,
      .mapFilterMap: Streams.mapFilterMap, .zip3: Streams.zip3, .zipMany: Streams.zipMany,
      .flatMap: Streams.flatMap, .merge: Streams.merge,
    ])
#endif
