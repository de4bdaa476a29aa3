#if AsyncAlgorithms
  import RuntimeOperations

  /// The channels and the zip of swift-async-algorithms, in tasks of the global pool.
  public let asyncAlgorithmsOperations = RuntimeContender(
    name: "async-algorithms", summary: "swift-async-algorithms: asynchronous sequences and channels",
    performances: [
      .channelOneThread: Channels.oneTask, .channelTwoThreads: Channels.twoTasks, .zip3: Streams.zip3,
    ])
#endif
