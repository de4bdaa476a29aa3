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

  /// Of all their bytes, in their order.
  static func checksum(of media: [Media]) -> UInt64 {
    var checksum = Checksum()
    for media in media { withUnsafeBytes(of: media.checksum.littleEndian) { checksum.update($0) } }
    return checksum.value
  }

  /// The folder of media, of which a run has one, if they are not any more what they were when the scenarios were made.
  static func changedMedia(of scenarios: [Scenario]) -> String? {
    guard let scenario = scenarios.first(where: { $0.mediaDirectory != nil }),
      let directory = scenario.mediaDirectory
    else { return nil }
    return (try? media(in: directory)).map(checksum) == scenario.mediaChecksum ? nil : directory
  }

  /// Each contender writes into a folder of its own, so that afterwards each can be compared.
  ///
  /// - Parameter http: makes what carries real uploads; asked once, by the first scenario that uploads so.
  static func services(
    contender: String, http: (@Sendable () -> any HTTPTransport)?
  ) -> UploadWorker.MakeServices {
    var transport: (any HTTPTransport)?
    return { scenario, post, ledgers in
      try makeServices(
        for: scenario, post: post, ledgers: ledgers, storeSubdirectory: Store.folder(of: contender)
      ) { endpoint in
        guard let made = transport ?? http?() else { throw HTTPIsMissing(endpoint: endpoint) }
        transport = made
        return made
      }
    }
  }
}
