import Testing

@testable import BenchCommand

@Suite struct InterruptionTests {
  @Test func whatHasBecomeOfItIsSaid() {
    #expect(Interrupted().description == "interrupted; nothing was compared")
    #expect(Interrupted("nothing was written").description == "interrupted; nothing was written")
  }
}
