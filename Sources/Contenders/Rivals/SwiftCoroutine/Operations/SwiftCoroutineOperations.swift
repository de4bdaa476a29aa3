#if SwiftCoroutine
  import RuntimeOperations

  /// SwiftCoroutine's coroutines, futures and channels; on the calling thread, but for `channel-two-threads`.
  ///
  /// No `all-10000`: it has nothing that combines futures; its users await them in turn.
  public let swiftCoroutineOperations = RuntimeContender(
    name: "swift-coroutine", summary: "SwiftCoroutine: stackful coroutines that share copied stacks",
    performances: [
      .coroutineSwitch: Coroutines.coroutineSwitch, .coroutineStart: Coroutines.start,
      .coroutineStartSuspend: Coroutines.startSuspend, .awaitReady: Coroutines.awaitReady,
      .awaitPending: Coroutines.awaitPending,
      .channelOneThread: Channels.oneThread, .channelTwoThreads: Channels.twoThreads,
      .promiseCallback: Futures.promiseCallback, .mapChain: Futures.mapChain,
    ])
#endif
