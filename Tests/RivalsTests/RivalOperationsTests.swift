import RawThreads
import RuntimeOperations
import Testing

#if AsyncAlgorithms
  import AsyncAlgorithmsOperations
#endif
#if NIO
  import NIOOperations
#endif
#if OpenCombine
  import OpenCombineOperations
#endif

/// The rivals whose traits are on; none in a default build.
private let rivals: [RuntimeContender] = {
  var rivals: [RuntimeContender] = []
  #if AsyncAlgorithms
    rivals.append(asyncAlgorithmsOperations)
  #endif
  #if NIO
    rivals.append(nioOperations)
  #endif
  #if OpenCombine
    rivals.append(openCombineOperations)
  #endif
  return rivals
}()

@Suite struct RivalOperationsTests {
  @Test(arguments: rivals.flatMap { rival in rival.performances.keys.map { (rival.name, $0.name) } })
  func aRivalAnswersEveryOperationItPerforms(_ name: String, _ operationName: String) async throws {
    let rival = try #require(rivals.first { $0.name == name })
    let operation = try #require(RuntimeOperation.all.first { $0.name == operationName })
    let perform = try #require(rival.performances[operation])
    // On a thread of its own: it may block, and the pool's threads must not.
    let answer = try await withCheckedThrowingContinuation { continuation in
      _ = RawThread(name: "rival") {
        continuation.resume(with: Result { try perform(operation.count) })
      }
    }
    #expect(answer == operation.answer)
  }
}
