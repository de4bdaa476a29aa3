#if NIO
  import RuntimeOperations

  /// NIO's futures, on a thread of its singleton event-loop group.
  public let nioOperations = RuntimeContender(
    name: "nio", summary: "SwiftNIO: futures of an event loop, used on its thread",
    performances: [
      .promiseCallback: Futures.promiseCallback, .allOfMany: Futures.all, .mapChain: Futures.mapChain,
    ])
#endif
