import Foundation
import FoundationNetworking
import Synchronization

/// Scenario 3 by URLSession, with 100, 1,000 and 10,000 requests. Ends the process after the limit.
func measureURLSession(limit seconds: Int = 60) async throws {
  _ = Socket.raiseLimit()
  print("requests  seconds  arrived  answer")
  for racers in [100, 1000, 10_000] {
    let server = try ServerProcess()
    let control = Track(client: try Client(port: server.port), second: .seconds(1), racers: racers)
    _ = try await control.get("/start?3,\(racers),1000,0,600000")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = racers
    configuration.timeoutIntervalForRequest = 600
    let session = URLSession(configuration: configuration)
    let url = URL(string: "http://127.0.0.1:\(server.port)/3")!
    let start = ContinuousClock.now
    let report = { @Sendable (arrived: String, answer: String) in
      let time = (ContinuousClock.now - start) / .seconds(1)
      print(String(format: "%8d  %7.2f  %7d  ", racers, time, Int(arrived) ?? 0) + answer)
    }
    // A thread, since tasks do not run while the session is busy, which may not end its requests in time.
    let isOver = Mutex(false)
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: Double(seconds))
      if isOver.withLock({ $0 }) { return }
      control.client.get("/arrived") {
        report((try? $0.get()) ?? "", "none in \(seconds) s")
        exit(0)
      }
    }
    let get: Work = { String(decoding: try await session.data(from: url).0, as: UTF8.self) }
    let answer = try await firstValue(of: Array(repeating: get, count: racers))
    isOver.withLock { $0 = true }
    try await report(control.get("/arrived"), answer)
    session.invalidateAndCancel()
    withExtendedLifetime(server) {}
  }
}
