#if NIO
  import NIOCore
  import NIOPosix
  import RuntimeOperations

  /// NIO's futures, used on the thread of their event loop, like in a channel handler. The time includes one wait for the loop.
  public let nioOperations = RuntimeContender(
    name: "nio", summary: "SwiftNIO: futures of an event loop, used on its thread",
    implementations: [
      .promiseCallback: { count in
        try onLoop { loop in
          var sum = 0
          for value in 0..<count {
            let promise = loop.makePromise(of: Int.self)
            promise.futureResult.assumeIsolated().whenSuccess { sum += $0 }
            promise.succeed(value)
          }
          return sum
        }
      },
      .allOfMany: { count in
        try onLoop { loop in
          var sum = 0
          let promises = (0..<count).map { _ in loop.makePromise(of: Int.self) }
          EventLoopFuture.whenAllSucceed(promises.map(\.futureResult), on: loop).assumeIsolated()
            .whenSuccess { sum = $0.reduce(0, +) }
          for (value, promise) in promises.enumerated() { promise.succeed(value) }
          return sum
        }
      },
      .mapChain: { count in
        try onLoop { loop in
          var sum = 0
          let promise = loop.makePromise(of: Int.self)
          var chain = promise.futureResult
          for _ in 0..<count { chain = chain.map { $0 + 1 } }
          chain.assumeIsolated().whenSuccess { sum = $0 }
          promise.succeed(0)
          return sum
        }
      },
    ])

  private func onLoop(_ body: @escaping @Sendable (any EventLoop) -> Int) throws -> Int {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    return try loop.submit { body(loop) }.wait()
  }
#endif
