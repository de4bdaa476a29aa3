import Foundation
import UploadScenario

/// Creates the scenario's service for each ledger. These services share their threads, like clients of one server.
///
/// The `file` service writes into the scenario's store, or into its folder `storeSubdirectory` (a plain name). The `http`
/// service writes into `Endpoint.folder(of:_:)`. Throws `FileError` or `EndpointError`.
public func makeServices(
  for scenario: Scenario, post: Post, ledgers: [Ledger], storeSubdirectory: String? = nil,
  transport: (Endpoint) throws -> any HTTPTransport = { throw HTTPIsMissing(endpoint: $0) }
) throws -> [any UploadService] {
  let accounts = ledgers.map { Account(ledger: $0, scenario) }
  switch scenario.service {
  case .instant: return InstantService.sharing(accounts)
  case .latency where scenario.holdsAnswers:
    let policy = SimulatedService.Policy.barrier(
      uploads: scenario.fanOut, held: scenario.limit ?? scenario.fanOut, order: scenario.order,
      seed: scenario.seed)
    // Each post needs its own barrier, and so its own thread.
    return accounts.flatMap { SimulatedService.sharing([$0], policy) }
  case .latency, .blocking:
    return SimulatedService.sharing(accounts, .deadlines(scenario.latencyTrace(for: post)))
  case .file:
    guard let store = scenario.storeDirectory else {
      throw FileError(path: "", reason: "the file service needs a store: name a directory for it")
    }
    if let media = scenario.mediaDirectory { try checkStore(store, isOutside: media) }
    return try FileService.sharing(
      accounts, store: store, subdirectory: storeSubdirectory, syncsToDisk: scenario.syncsToDisk)
  case .http:
    let endpoint = try Endpoint(scenario.endpoint ?? "")
    return HTTPService.sharing(
      accounts, transport: try transport(endpoint), folder: endpoint.folder(of: storeSubdirectory, scenario),
      storesParts: scenario.pattern.isChunked)
  }
}

extension Endpoint {
  /// The folder for the objects of a contender in a scenario.
  public func folder(of contender: String?, _ scenario: Scenario) -> Endpoint {
    (contender.map(appending) ?? self).appending(scenario.name)
  }
}

/// The error of the `http` service in an executable without an HTTP transport.
public struct HTTPIsMissing: Error, Sendable, Hashable, CustomStringConvertible {
  public let endpoint: Endpoint

  public init(endpoint: Endpoint) { self.endpoint = endpoint }

  public var description: String { "no HTTP client for \(endpoint): pass a transport to makeServices" }
}

/// Throws if the store, which need not exist, is inside the media directory, because its objects would be read as media files.
public func checkStore(_ store: String, isOutside media: String) throws(FileError) {
  guard !isInside(store, directory: media) else {
    throw FileError(
      path: store, reason: "the store \(store) is in the media directory \(media): choose another store")
  }
}

private func isInside(_ path: String, directory: String) -> Bool {
  func resolved(_ path: String) -> [String] {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.pathComponents
  }
  return resolved(path).starts(with: resolved(directory))
}
