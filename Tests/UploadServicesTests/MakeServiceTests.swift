import Foundation
import Testing
import UploadScenario
import UploadServices

@Suite struct MakeServiceTests {
  private func make(_ kind: ServiceKind, store: String? = nil, media: String? = nil) throws
    -> any UploadService
  {
    try makeService(
      for: Scenario(
        name: "test", service: kind, photos: 1, mediaDirectory: media, storeDirectory: store),
      post: testPost(1), ledger: testLedger(1), storeSubdirectory: "callbacks")
  }

  @Test func aScenarioGetsTheServiceItNames() throws {
    let (instant, latency) = (try make(.instant), try make(.latency))
    #expect(instant is InstantService)
    #expect(latency is LatencyService)
    try inFolder { store in
      let file = try make(.file, store: store)
      #expect(file is FileService)
      #expect(try FileManager.default.contentsOfDirectory(atPath: store) == ["callbacks"])
    }
  }

  @Test func aStoreInTheMediaDirectoryIsRefused() throws {
    try inFolder { media in
      for store in [media, media + "/deep/store", media + "/x/.."] {
        #expect(throws: StoreError.self) { try make(.file, store: store, media: media) }
      }
      #expect(throws: Never.self) { try make(.file, store: media + "-store", media: media) }
      try FileManager.default.removeItem(atPath: media + "-store")
    }
  }

  @Test func aFileServiceWithoutAStoreIsRefused() {
    #expect(throws: StoreError.self) { try make(.file) }
  }
}
