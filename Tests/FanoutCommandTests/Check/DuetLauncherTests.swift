import Foundation
import Harness
import Results
import Testing
import UploadScenario

@testable import FanoutCommand

@Suite(.ownThread) struct DuetLauncherTests {
  private static func options(
    _ side: DuetSide, _ role: DuetRound.Role, _ injected: InjectedSlowDown?
  ) -> [String] {
    DuetLauncher<Scenario>(
      side: side, executable: { _ in URL(filePath: "/") }, measure: .cost, slowDown: 0.03, injected: injected,
      placement: .anywhere,
      budgetNanoseconds: 1
    ).options(for: DuetParticipant(contender: "a", role: role))
  }

  @Test(
    arguments: DuetRound.Role.allCases,
    [
      nil, InjectedSlowDown(share: 0.01, contenders: nil, scenarios: nil),
      InjectedSlowDown(share: 0.01, contenders: ["b"], scenarios: nil),
      InjectedSlowDown(share: 0.01, contenders: ["a"], scenarios: ["publish-instant-1"]),
    ])
  func `both builds get the same options except the slow-down`(
    role: DuetRound.Role, injected: InjectedSlowDown?
  ) throws {
    let (base, candidate) = (Self.options(.base, role, injected), Self.options(.candidate, role, injected))
    let place = try #require(base.firstIndex(of: "--slow-down-cost")) + 1
    #expect(base[place] == "0.0")
    let isInjected = injected?.contenders?.contains("a") ?? (injected != nil)
    let share =
      switch role {
      case .subject: isInjected ? "0.01" : "0.0"
      case .control: "0.0"
      case .positiveControl: "0.03"
      }
    #expect(candidate[place] == share)
    var same = candidate
    same[place] = base[place]
    #expect(same == base)
  }
}
