import Foundation
import Results
import UploadScenario
import UploadServices

struct Store {
  let scenarios: [Scenario]
  private let directory: String?
  private let isTemporary: Bool

  /// Creates the folder that `--store` names, or a temporary one.
  init(for scenarios: [Scenario]) throws {
    guard let first = scenarios.first(where: { $0.service == .file }) else {
      (self.scenarios, directory, isTemporary) = (scenarios, nil, false)
      return
    }
    isTemporary = first.storeDirectory == nil
    let path = first.storeDirectory ?? TemporaryFolder.path("fanout-store")
    directory = path
    if let media = first.mediaDirectory {
      do { try checkStore(path, isOutside: media) } catch { throw UsageError("\(error).") }
    }
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw FileProblem(
        "cannot create the store \(path): \(SystemReason.of(error)). Choose another --store.")
    }
    guard access(path, W_OK | X_OK) == 0 else {
      throw FileProblem(
        "cannot write to the store \(path): \(String(cString: strerror(errno))). Choose another --store.")
    }
    self.scenarios = scenarios.map { scenario in
      var scenario = scenario
      if scenario.service == .file { scenario.storeDirectory = path }
      return scenario
    }
  }

  func clean() { if let directory, isTemporary { TemporaryFolder.remove(directory) } }

  /// Compares stored files with the post, byte for byte. Empty if there are several scenarios, or if uploads fail or are cancelled.
  func differences(contenders: [String]) throws -> [String] {
    guard let directory, let last = scenarios.last(where: { $0.service == .file }), scenarios.count == 1,
      last.faults.failAt == nil, last.faults.failureRate == 0, last.cancelAfter == nil
    else { return [] }
    return try Self.compare(directory, with: try Wiring.post(last), contenders: contenders).differences
  }

  /// Compares a store with media files, for `bench verify --media DIR --store DIR`.
  /// - Parameter areNamed: whether the user named the contenders. If so, a contender's missing folder is a difference.
  static func verify(directory: String, media: String, contenders: [String], areNamed: Bool) throws -> (
    compared: [String], objects: Int, differences: [String]
  ) {
    guard FileManager.default.fileExists(atPath: directory) else {
      throw FileProblem(
        "no store at \(directory). Give the folder of `\(CommandName.current) run --store`.")
    }
    let post = Post(id: Scenario(name: "", photos: 0).seed, media: try Wiring.media(in: media))
    let present = contenders.filter {
      FileManager.default.fileExists(atPath: "\(directory)/\(folder(of: $0))")
    }
    guard !present.isEmpty else {
      throw FileProblem(
        "\(directory) holds no contender's objects. Fill it with `\(CommandName.current) run --media … --store …`."
      )
    }
    let (objects, differences) = try compare(directory, with: post, contenders: present)
    let missing = areNamed ? contenders.filter { !present.contains($0) } : []
    return (present, objects, missing.map { "\($0): its whole folder is missing" } + differences)
  }

  /// A contender's folder in the store. The name of a variant has a slash, which no folder's name can have.
  static func folder(of contender: String) -> String { contender.replacingOccurrences(of: "/", with: "+") }

  private static func compare(_ directory: String, with post: Post, contenders: [String]) throws -> (
    objects: Int, differences: [String]
  ) {
    do {
      let differences = try contenders.flatMap { contender in
        try StoreVerifier.problems(of: post, inStore: "\(directory)/\(folder(of: contender))").map {
          "\(contender): \($0)"
        }
      }
      return (contenders.count * post.media.count, differences)
    } catch { throw FileProblem("\(error)") }
  }
}

/// The objects that `http` scenarios have stored on a server, in a folder for each run, contender and scenario.
struct HTTPStore {
  let scenarios: [Scenario]
  private let transport: (any HTTPTransport)?

  /// The HTTP client for `http` scenarios. First stores an object on the server and reads it back. `nil` without such scenarios.
  static func transport(for scenarios: [Scenario], among known: ContenderList) throws -> (any HTTPTransport)?
  {
    guard let text = scenarios.first(where: { $0.service == .http })?.endpoint else { return nil }
    return try transport(to: try Endpoint(text), among: known)
  }

  /// The URL of a folder on a server. Throws if the server does not accept uploads.
  static func folder(_ name: String, at text: String, among known: ContenderList) throws -> String {
    let endpoint = try endpoint(text)
    _ = try transport(to: endpoint, among: known)
    return endpoint.appending(name).url
  }

  static func endpoint(_ text: String) throws -> Endpoint {
    do { return try Endpoint(text) } catch { throw UsageError("--endpoint \(error).") }
  }

  private static func transport(to endpoint: Endpoint, among known: ContenderList) throws -> any HTTPTransport
  {
    guard let http = known.http else { try HTTPBuild.takeOver() }
    let transport = http()
    do { try RemoteFolder(endpoint, over: transport).check() } catch {
      let advice =
        if case HTTPFailure.untrusted = error {
          "Documentation/HTTP.md says how to trust the server's certificate"
        } else {
          "`Scripts/upload-server start` starts a server that accepts uploads"
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

  /// Compares the stored objects with the post, byte for byte. Reads them from the folder that `--store` names, or from the server.
  func differences(contenders: (Scenario) -> [String]) throws -> (objects: Int, differences: [String]) {
    guard let transport else { return (0, []) }
    var objects = 0
    var differences: [String] = []
    for scenario in scenarios where scenario.service == .http {
      let post = try Wiring.post(scenario)
      let expectation = try Expectation(scenario: scenario, post: post)
      guard expectation.ending == .publication, let text = scenario.endpoint else { continue }
      let objectsOfPost = StoredObject.all(of: post, scenario)
      for contender in contenders(scenario) {
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
      // The last three components of the URL name the run, the contender and the scenario.
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

/// The executable that can upload over HTTP. It is separate, because URLSession loads about thirty libraries, which take memory.
enum HTTPBuild {
  static let name = "bench-http"

  /// Replaces this process by `bench-http` in the same folder, with the same arguments.
  static func takeOver() throws -> Never {
    let sibling = WorkerCommand.executable.deletingLastPathComponent().appendingPathComponent(name)
    guard FileManager.default.isExecutableFile(atPath: sibling.path) else {
      throw UsageError(
        "\(CommandName.current) itself cannot upload over HTTP, and \(name) is not built. Build it with "
          + "`swift build -c release --product \(name)`, and give the same command again.")
    }
    var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
    execv(sibling.path, &arguments)
    throw FileProblem("cannot start \(sibling.path): \(String(cString: strerror(errno))).")
  }
}
