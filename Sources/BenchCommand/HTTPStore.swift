import Foundation
import RawThreads
import UploadScenario
import UploadServices

/// What the `http` service leaves on its server: a folder per run, in it one per contender, in it one per scenario.
struct HTTPStore {
  /// The run's scenarios, each told its run's folder.
  let scenarios: [Scenario]
  private let transport: (any HTTPTransport)?

  /// Asks the endpoint to take an object and give it back, before anything is measured.
  static func check(_ scenarios: [Scenario], transport: any HTTPTransport) throws {
    guard let text = scenarios.lazy.compactMap(\.endpoint).first else { return }
    let endpoint = try Endpoint(text)
    do { try RemoteFolder(endpoint, over: transport).check() } catch {
      throw FileProblem(
        "\(endpoint) takes no uploads: \(error). `Scripts/upload-server start` starts a server that does.")
    }
  }

  init(for scenarios: [Scenario], run: String, transport: (any HTTPTransport)?) throws {
    self.transport = transport
    self.scenarios = try scenarios.map { scenario in
      guard scenario.service == .http, let endpoint = scenario.endpoint else { return scenario }
      var scenario = scenario
      scenario.endpoint = try Endpoint(endpoint).appending(run).url
      return scenario
    }
  }

  /// Everything in which the server's files differ from what was posted last, byte for byte; and how many were compared.
  ///
  /// Read from the server's own folder, if the user named it, else asked back.
  func differences(contenders: [String]) throws -> (objects: Int, differences: [String]) {
    guard let transport else { return (0, []) }
    var objects = 0
    var differences: [String] = []
    for scenario in scenarios where scenario.service == .http {
      let post = try Wiring.post(scenario)
      let expectation = try Expectation(scenario: scenario, post: post)
      guard expectation.ending == .publication, let text = scenario.endpoint else { continue }
      let objectsOfPost = StoredObject.all(of: post, scenario)
      for contender in contenders {
        let folder = try Endpoint(text).folder(of: Store.folder(of: contender), scenario)
        let problems: [StoreProblem]
        do {
          problems = try Self.inFolder(of: scenario, folder, objectsOfPost, transport) {
            try StoreVerifier.problems(of: expectation, inStore: $0)
          }
        } catch { throw FileProblem("\(error)") }
        objects += objectsOfPost.count
        differences += problems.map { "\(contender) on \(scenario.name): \($0)" }
      }
    }
    return (objects, differences)
  }

  private static func inFolder<Value>(
    of scenario: Scenario, _ folder: Endpoint, _ objects: [StoredObject], _ transport: any HTTPTransport,
    _ body: (String) throws -> Value
  ) throws -> Value {
    if let store = scenario.storeDirectory {
      // The last three parts are the run, the contender and the scenario.
      return try body(store + "/" + folder.url.split(separator: "/").suffix(3).joined(separator: "/"))
    }
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent("fanout-copy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: copy) }
    try RemoteFolder(folder, over: transport).copy(objects, to: copy.path)
    return try body(copy.path)
  }
}
