import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct PreparedMediaTests {
  static let media = Post.synthetic(photos: 2, videos: 0, payloadBytes: 100, seed: 7).media

  @Test func `a digest depends on bytes and passes`() throws {
    let digests = try Self.media.flatMap { media in
      try (0...2).map { try PreparedMedia(media, passes: $0).digest }
    }
    // Without a pass, all digests are equal.
    #expect(Set(digests).count == 5)
    #expect(try PreparedMedia(Self.media[0], passes: 2).digest == digests[2])
  }

  @Test func `a URL is for one media file`() throws {
    let prepared = try Self.media.map { try PreparedMedia($0, passes: 1) }
    #expect(UploadURL(for: prepared[0]) == UploadURL(for: prepared[0]))
    #expect(UploadURL(for: prepared[0]) != UploadURL(for: prepared[1]))
  }
}
