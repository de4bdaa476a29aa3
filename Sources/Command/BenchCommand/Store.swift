import Foundation
import Results
import UploadScenario
import UploadServices

/// Where the `file` service puts its objects: one folder per contender.
struct Store {
  /// The run's scenarios, each told where its store is.
  let scenarios: [Scenario]
  private let directory: String?
  private let isTemporary: Bool

  /// Makes the store; without one that was named, a temporary one.
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
        "cannot make the store \(path): \(SystemReason.of(error)). Choose another --store.")
    }
    guard access(path, W_OK | X_OK) == 0 else {
      throw FileProblem(
        "cannot write to the store \(path): \(String(cString: strerror(errno))). Choose another --store.")
    }
    if let scenario = scenarios.first(where: \.hasExternalBaseline) {
      try Self.prepareExternalBaseline(scenario, in: path)
    }
    self.scenarios = scenarios.map { scenario in
      var scenario = scenario
      if scenario.service == .file { scenario.storeDirectory = path }
      return scenario
    }
  }

  /// Removes what only the run needed: the store, unless it was named, and the external baseline's files.
  func clean() {
    if let directory {
      TemporaryFolder.remove(isTemporary ? directory : Self.externalBaselineFolder(in: directory))
    }
  }

  /// Where the external baseline copies to, in a store.
  static func externalBaselineFolder(in store: String) -> String { "\(store)/\(ExternalBaseline.copy)" }

  private static func prepareExternalBaseline(_ scenario: Scenario, in store: String) throws {
    let folder = externalBaselineFolder(in: store)
    guard !FileManager.default.fileExists(atPath: folder) else {
      throw FileProblem(
        "\(folder) is where a run copies to, and it is there already. Remove it, or choose another --store.")
    }
    TemporaryFolder.adopt(folder)
    do { try CopyBaseline.prepare(try Wiring.post(scenario), folder: folder) } catch {
      throw FileProblem("\(error)")
    }
  }

  /// Everything in which the store differs from what was posted last, byte for byte.
  ///
  /// Only a scenario that publishes leaves a store that can be compared.
  func differences(contenders: [String]) throws -> [String] {
    guard let directory, let last = scenarios.last(where: { $0.service == .file }), scenarios.count == 1,
      last.faults.failAt == nil, last.faults.failureRate == 0, last.cancelAfter == nil
    else { return [] }
    return try Self.compare(directory, with: try Wiring.post(last), contenders: contenders).differences
  }

  /// What `bench verify --media --store` asks for.
  ///
  /// - Parameter areNamed: the contenders were asked for by name, so one without a folder is a difference.
  static func verify(directory: String, media: String, contenders: [String], areNamed: Bool) throws -> (
    compared: [String], objects: Int, differences: [String]
  ) {
    guard FileManager.default.fileExists(atPath: directory) else {
      throw FileProblem(
        "no store at \(directory). Give the folder that `\(CommandName.current) run --store` was given.")
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

  /// A contender's folder in the store; the name of a variant has a slash, a folder's has none.
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
