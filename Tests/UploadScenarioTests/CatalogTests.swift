import TestSupport
import Testing
import UploadScenario

@Suite(.ownThread) struct CatalogTests {
  @Test func `every scenario is valid and has a unique name`() {
    #expect(Catalog.named.compactMap(\.problem).isEmpty)
    #expect(Set(Catalog.named.map(\.name)).count == Catalog.named.count)
    #expect(Set(Catalog.full.map(\.pattern)) == Set(Pattern.allCases))
    #expect(Catalog.standard.allSatisfy(Catalog.full.contains))
    #expect(Catalog.quick.allSatisfy(Catalog.standard.contains))
  }

  @Test func `timer lag is measured where threads are blocked or busy`() {
    let watched = Catalog.standard.filter(\.watchesHeartbeat)
    #expect(
      watched.map(\.name) == [
        "presigned-instant-64-prepare-20us", "presigned-instant-64-prepare-200us",
        "presigned-instant-16-prepare-2ms", "blocking-64", "blocking-64-limit-8",
      ])
  }

  @Test func `a preparation takes as many passes as its time requires`() throws {
    let media = Post.synthetic(photos: 1, videos: 0, payloadBytes: 4_096, seed: 1).media[0]
    var scenario = Scenario(name: "s", pattern: .presigned, fanOut: 1)
    #expect(try scenario.calibrated(media) == scenario)
    scenario.prepareTime = .nanoseconds(1)
    #expect(try scenario.calibrated(media).preparePasses == 1)
    scenario.prepareTime = .milliseconds(20)
    let calibrated = try scenario.calibrated(media)
    #expect(calibrated.preparePasses > 1 && calibrated.prepareTime == scenario.prepareTime)
  }

  @Test func `no resilient scenario is left to chance`() {
    let verified = Catalog.verification(of: .resilient, seed: 7)
    for scenario in Catalog.full + verified where scenario.pattern == .resilient {
      let post = Post.synthetic(
        photos: scenario.photos, videos: scenario.videos, payloadBytes: 8, seed: scenario.seed)
      #expect(scenario.chance(for: post) == nil, "\(scenario.name)")
    }
  }

  @Test func `urgency is one post at two priorities, and optional`() {
    var scenarios = Catalog.urgency
    #expect(
      scenarios.map(\.name) == [
        "presigned-instant-64-behind-10000", "presigned-instant-64-behind-10000-priority-low",
      ])
    #expect(scenarios.map(\.priority) == [.high, .low])
    for index in scenarios.indices { (scenarios[index].name, scenarios[index].priority) = ("", .normal) }
    #expect(scenarios[0] == scenarios[1])
    #expect(Catalog.full.allSatisfy { $0.behind == 0 && $0.priority == .normal })
  }

  @Test func `the steady state is one post at three overlaps, and optional`() {
    var scenarios = Catalog.steady
    #expect(scenarios.map(\.overlap) == [nil, 1, 16])
    for index in scenarios.indices {
      #expect(Catalog.scenario(named: scenarios[index].name) == scenarios[index])
      (scenarios[index].name, scenarios[index].overlap) = ("", nil)
    }
    #expect(Set(scenarios).count == 1)
    #expect(Catalog.standard.allSatisfy { $0.overlap == nil })
  }

  @Test(arguments: Pattern.allCases)
  func `every pattern has valid verification scenarios`(pattern: Pattern) {
    let scenarios = Catalog.verification(of: pattern, seed: 7)
    #expect(scenarios.allSatisfy { $0.pattern == pattern })
    #expect(scenarios.compactMap { scenario in scenario.problem.map { "\(scenario.name): \($0)" } } == [])
    #expect(Set(scenarios.map(\.name)).count == scenarios.count)
    #expect(scenarios.contains { $0.cancelAfter != nil })
    #expect(scenarios.contains { !$0.faults.isEmpty })
    #expect(scenarios.allSatisfy { $0.seed == 7 && $0.faults.seed == 7 && $0.retry.seed == 7 })
  }
}
