import Coroutines
import Dispatch
import TestSupport
import Testing

/// The first examples of the module's page: these lines are compiled and run, and the page has the same.
@Suite(.ownThread) struct FirstExampleTests {
  @Test func `it runs as the page says`() async throws {
    // example: begin
    let greeting = DispatchQueue.global().coroutineFuture {
      // Looks serial; no thread waits.
      let name = try Coroutine.await { callback in
        DispatchQueue.global().async { callback("world") }
      }
      let lengths = try CoGroup.run { group in
        try group.map(["hello", name]) { word in
          try DispatchQueue.global().await { word.count }
        }
      }
      return "hello, \(name): \(lengths)"
    }
    let text = try await greeting.value  // "hello, world: [5, 5]"
    // example: end
    #expect(text == "hello, world: [5, 5]")
  }

  /// The second example.
  @Test func `channels carry what the page says`() async throws {
    // example: begin
    let numbers = CoChannel<Int>(capacity: 2)
    DispatchQueue.global().startCoroutine {
      // Waits while two are in the buffer.
      for number in 1...6 { try numbers.awaitSend(number) }
      numbers.close()
    }
    let squares = CoChannel<Int>()
    for _ in 1...2 {
      DispatchQueue.global().startCoroutine {
        // Each number goes to one of the two.
        for number in numbers { try squares.awaitSend(number * number) }
      }
    }
    let collector = CoFuture {
      var sum = 0
      for _ in 1...6 { sum += try squares.awaitReceive() }
      return sum
    }
    let sum = try await collector.value  // 91
    // example: end
    #expect(sum == 91)
  }

  @Test(arguments: [1, 2]) func `the page has the same lines`(number: Int) throws {
    let example = try FirstExample(ofRuntime: "Coroutines", testFile: #filePath, number: number)
    #expect(!example.shown.isEmpty)
    #expect(example.compiled == example.shown)
  }
}
