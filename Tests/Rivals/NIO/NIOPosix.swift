// Signatures of swift-nio 2.101.2 that the contender and the operations use; nothing of it runs.
public import NIOCore

public final class MultiThreadedEventLoopGroup: Sendable {
  public static var singleton: MultiThreadedEventLoopGroup { fatalError() }

  public func next() -> any EventLoop { fatalError() }
  public func any() -> any EventLoop { fatalError() }
}
