import Foundation
import UploadScenario

/// The service that a scenario names, with the scenario's faults and latencies, for each of several ledgers: posts that are
/// under way at the same time share the threads that answer, as clients of one server.
///
/// The `file` service writes into the scenario's store, in `storeSubdirectory` (one plain name; nil: the store
/// itself). Throws `StoreError`, such as for a store that lies in the media directory: it would be found as media.
/// The `http` service uploads to a folder of that name in the scenario's endpoint, and there into one of the scenario's
/// name, over what `transport` gives. Throws `EndpointError`.
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
    // Each post has a barrier of its own.
    return accounts.flatMap { SimulatedService.sharing([$0], policy) }
  case .latency, .blocking:
    return SimulatedService.sharing(accounts, .deadlines(scenario.latencyTrace(for: post)))
  case .file:
    guard let store = scenario.storeDirectory else {
      throw StoreError(path: "", reason: "the file service needs a store: name a directory for it")
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
  /// Where a contender's objects of a scenario lie.
  public func folder(of contender: String?, _ scenario: Scenario) -> Endpoint {
    (contender.map(appending) ?? self).appending(scenario.name)
  }
}

/// This executable carries no HTTP: it was not given a transport.
public struct HTTPIsMissing: Error, Sendable, Hashable, CustomStringConvertible {
  public let endpoint: Endpoint

  public init(endpoint: Endpoint) { self.endpoint = endpoint }

  public var description: String { "nothing in this executable can upload to \(endpoint)" }
}

/// Refuses a store, which need not exist, that lies in the media directory: its objects would be found as media.
public func checkStore(_ store: String, isOutside media: String) throws(StoreError) {
  guard !isInside(store, directory: media) else {
    throw StoreError(
      path: store, reason: "the store \(store) is in the media directory \(media): choose one outside of it")
  }
}

/// Whether a path, which need not exist, lies in a directory or is it.
private func isInside(_ path: String, directory: String) -> Bool {
  func resolved(_ path: String) -> [String] {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.pathComponents
  }
  return resolved(path).starts(with: resolved(directory))
}
