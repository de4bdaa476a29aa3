import Foundation
import Harness
import UploadScenario
import UploadServices

/// Where the question meets the services: the harness knows neither.
enum Wiring {
  static func post(_ scenario: Scenario) throws -> Post {
    guard let directory = scenario.mediaDirectory else {
      return .synthetic(
        photos: scenario.photos, videos: scenario.videos, payloadBytes: scenario.payloadBytes,
        seed: scenario.seed)
    }
    return Post(id: scenario.seed, media: try media(in: directory))
  }

  static func media(in directory: String) throws -> [Media] {
    do { return try MediaDirectory.media(in: directory) } catch { throw FileProblem("\(error)") }
  }

  /// Each contender writes into a folder of its own, so that afterwards each can be compared.
  static func service(contender: String) -> UploadWorker.MakeService {
    { try makeService(for: $0, post: $1, ledger: $2, storeSubdirectory: Store.folder(of: contender)) }
  }

  /// The same for posts that are under way at the same time.
  static func services(contender: String) -> LoadWorker.MakeServices {
    { try makeServices(for: $0, post: $1, ledgers: $2, storeSubdirectory: Store.folder(of: contender)) }
  }
}
