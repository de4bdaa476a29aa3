#if PromiseKit
  import RuntimeOperations

  /// PromiseKit's promises, whose handlers run at once on the thread that fulfils, which its users ask for by `on: nil`.
  public let promiseKitOperations = RuntimeContender(
    name: "promise-kit", summary: "PromiseKit: promises with a dispatch queue each as their lock",
    performances: [
      .promiseCallback: Futures.promiseCallback, .allOfMany: Futures.all, .mapChain: Futures.mapChain,
    ])
#endif
