import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct FaultsTests {
  static let media = Post.synthetic(photos: 10, videos: 0, payloadBytes: 8, seed: 1).media

  @Test func `the chosen upload fails`() {
    let faults = Faults(failAt: 3)
    let errors = Self.media.map { faults.error(of: .upload($0)) }
    #expect(errors.indices.filter { errors[$0] != nil } == [3])
    #expect(errors[3].map { "\($0)" } == "media file 3: refused by the scenario")
  }

  @Test(arguments: [0.0, 0.25, 1.0])
  func `the share of failures is the rate, and repeats`(_ rate: Double) {
    let faults = Faults(failureRate: rate, seed: 5)
    let failing = (0..<10_000).filter { faults.kind(at: $0) != nil }
    #expect(abs(Double(failing.count) / 10_000 - rate) < 0.02)
    #expect(failing == (0..<10_000).filter { faults.kind(at: $0) != nil })
  }

  @Test func `a refusal stays, a transient failure is drawn for each attempt`() {
    func failing(_ kind: Faults.Kind, attempt: Int) -> [Int] {
      let faults = Faults(failureRate: 0.5, kind: kind, seed: 5)
      return (0..<100).filter { faults.kind(at: $0, attempt: attempt) == kind }
    }
    #expect(failing(.refusal, attempt: 1) == failing(.refusal, attempt: 2))
    #expect(failing(.transient, attempt: 1) != failing(.transient, attempt: 2))
  }

  @Test func `the first attempts may fail and the next succeed`() {
    let faults = Faults(failAt: 2, kind: .transient, failingAttempts: 2)
    let errors = (1...3).map { faults.error(of: .upload(Self.media[2]), attempt: $0) as? UploadFailure }
    #expect(errors.map { $0?.isTransient } == [true, true, nil])
  }

  @Test func `one mirror may fail alone`() {
    let faults = Faults(failAt: 1, mirror: .primary)
    let fails = Mirror.allCases.map { faults.kind(of: .uploadToMirror(Self.media[1], $0)) != nil }
    #expect(fails == [true, false])
  }

  @Test func `silence is no error`() {
    let faults = Faults(failAt: 1, kind: .silence)
    #expect(faults.kind(of: .upload(Self.media[1])) == .silence)
    #expect(faults.error(of: .upload(Self.media[1])) == nil)
  }

  @Test func `URLs are issued even where the upload fails`() throws {
    let prepared = try PreparedMedia(Self.media[3], passes: 1)
    let faults = Faults(failAt: 3)
    #expect(faults.kind(of: .issueURL(prepared)) == nil)
    #expect(faults.kind(of: .uploadTo(UploadURL(for: prepared), prepared)) == .refusal)
  }
}
