import Foundation
import RawThreads
import UploadScenario
import UploadServices

/// What the `http` service leaves on its server: a folder per run, in it one per contender, in it one per scenario.
struct HTTPStore {
  /// The run's scenarios, each told its run's folder.
  let scenarios: [Scenario]
  private let transport: (any HTTPTransport)?

  /// What the `http` service needs, if any of the scenarios is for it: an executable that can, and a server that takes an
  /// object and gives it back.
  static func transport(for scenarios: [Scenario], among known: ContenderList) throws -> (any HTTPTransport)?
  {
    guard let text = scenarios.first(where: { $0.service == .http })?.endpoint else { return nil }
    return try transport(to: try Endpoint(text), among: known)
  }

  /// The URL of a folder below an endpoint that the user gave, and that takes uploads.
  static func folder(_ name: String, at text: String, among known: ContenderList) throws -> String {
    let endpoint: Endpoint
    do { endpoint = try Endpoint(text) } catch { throw UsageError("--endpoint \(error).") }
    _ = try transport(to: endpoint, among: known)
    return endpoint.appending(name).url
  }

  private static func transport(to endpoint: Endpoint, among known: ContenderList) throws -> any HTTPTransport
  {
    guard let http = known.http else { try HTTPBuild.takeOver() }
    let transport = http()
    do { try RemoteFolder(endpoint, over: transport).check() } catch {
      let advice =
        if case HTTPFailure.untrusted = error { "Documentation/HTTP.md says how to trust its authority" } else
        {
          "`Scripts/upload-server start` starts a server that does"
        }
      throw FileProblem("\(endpoint) takes no uploads: \(error). \(advice).")
    }
    return transport
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
          problems = try Self.problems(of: expectation, scenario, folder, objectsOfPost, transport)
        } catch { throw FileProblem("\(error)") }
        objects += objectsOfPost.count
        differences += problems.map { "\(contender) on \(scenario.name): \($0)" }
      }
    }
    return (objects, differences)
  }

  private static func problems(
    of expectation: Expectation, _ scenario: Scenario, _ folder: Endpoint, _ objects: [StoredObject],
    _ transport: any HTTPTransport
  ) throws -> [StoreProblem] {
    if let store = scenario.storeDirectory {
      // The last three parts are the run, the contender and the scenario.
      let own = folder.url.split(separator: "/").suffix(3).joined(separator: "/")
      return try StoreVerifier.problems(of: expectation, inStore: "\(store)/\(own)")
    }
    let copy = TemporaryFolder.path("fanout-copy")
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    defer { TemporaryFolder.remove(copy) }
    try RemoteFolder(folder, over: transport).copy(objects, to: copy)
    return try StoreVerifier.problems(of: expectation, inStore: copy)
  }
}
