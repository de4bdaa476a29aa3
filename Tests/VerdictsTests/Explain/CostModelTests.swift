import Foundation
import Results
import TestSupport
import Testing

@testable import Verdicts

/// Runs whose prices are known, because their processor times are made of them.
@Suite(.ownThread) struct CostModelTests {
  /// What each contender does for an upload, above the service: thread switches, allocations, retains, and work of its own.
  private static let made: [String: (counts: [Double], own: Double, ownPerPost: Double)] = [
    "floor": ([0, 1, 2], 20, 0), "hops": ([2, 3, 4], 300, 9_000), "allocates": ([0, 20, 90], 100, 400),
  ]
  private static let prices: [Double] = [5_000, 40, 10]
  private static let fanOuts = [1, 10, 100, 1_000]

  private static func samples(_ made: [String: (counts: [Double], own: Double, ownPerPost: Double)] = made)
    -> [Sample]
  {
    let all = made.merging([ExternalBaseline.service: ([0, 1, 2], 10, 0)]) { first, _ in first }
    return all.keys.sorted().flatMap { contender in
      fanOuts.flatMap { fanOut in
        let (counts, own, ownPerPost) = all[contender]!
        // Switches become rarer the more uploads there are, as they do, and not as own work does.
        let each = [counts[0] / Double(fanOut).squareRoot(), counts[1], counts[2]]
        let work = zip(each, prices).reduce(own + ownPerPost / Double(fanOut)) { $0 + $1.0 * $1.1 }
        return SyntheticRun.cell(contender, "publish-\(fanOut)", factor: 1, fanOut: fanOut).map { sample in
          var sample = sample
          sample.iterations = 1_000
          let uploads = Double(fanOut * sample.iterations)
          sample.cpuUserNanoseconds = Int(work * Double(fanOut))
          sample.cpuSystemNanoseconds = 0
          sample.voluntarySwitches = Int((each[0] * uploads).rounded())
          sample.allocations = Int(each[1] * uploads)
          sample.retains = Int(each[2] * uploads)
          sample.posts = sample.iterations
          return sample
        }
      }
    }
  }

  private static func model(_ samples: [Sample] = samples(), priced prices: [Double] = prices) -> CostModel? {
    var environment = EnvironmentRecord()
    environment.workPrices = [0.5, 1, 2].enumerated().map { generation, factor in
      WorkPriceRecord {
        $0.generation = generation
        $0.handOverNanoseconds = prices[0] * factor
        $0.allocationNanoseconds = prices[1] * factor
        $0.retainNanoseconds = prices[2] * factor
      }
    }
    return CostModel(
      RunAnalysis(run: "r", samples: samples, options: AnalysisOptions(reference: "floor")), environment)
  }

  @Test func whatIsMeasuredIsThePriceAndTheRestIsOwnWork() throws {
    let model = try #require(Self.model())
    #expect(model.prices.map(\.nanoseconds) == Self.prices)
    #expect(model.prices[0].range == 2_500...10_000)
    let account = try #require(model.account(of: "hops", in: "publish-100"))
    #expect(account.base == "service")
    #expect(abs(try #require(account.ownWorkNanoseconds) - 380) < 15, "\(account)")
    #expect(account.explainedShare > 0.95)
    #expect(try #require(account.foretoldShare) > 0.9)
    #expect(model.explained(by: \.explainedShare) == (12, 12))
  }

  /// An account can be no better than what it is held against: a sum within the interval is not contradicted.
  @Test(arguments: [(spread: 0.0, isBorneOut: false), (0.9, true)])
  func whatTheIntervalHoldsIsNotContradicted(spread: Double, isBorneOut: Bool) throws {
    let samples = Self.samples().map { sample in
      var sample = sample
      if sample.contender == "hops", sample.fanOut == 10 {
        let factor = 1.4 * (1 + spread * (sample.round % 2 == 0 ? 1 : -1))
        sample.cpuUserNanoseconds = Int(Double(sample.cpuUserNanoseconds!) * factor)
      }
      return sample
    }
    let account = try #require(Self.model(samples)?.account(of: "hops", in: "publish-10"))
    #expect(account.explainedShare < CostModel.leastExplained)
    #expect(account.isBorneOut == isBorneOut, "\(account)")
  }

  /// In one cell of four something else happens: the others' account stays as it is, and what is left is there.
  @Test func oneCellThatIsOtherwiseDoesNotBendTheAccount() throws {
    let samples = Self.samples().map { sample in
      var sample = sample
      if sample.contender == "hops", sample.fanOut == 10 { sample.cpuUserNanoseconds! *= 3 }
      return sample
    }
    let model = try #require(Self.model(samples))
    for fanOut in [1, 100, 1_000] {
      let account = try #require(model.account(of: "hops", in: "publish-\(fanOut)"))
      #expect(account.explainedShare > 0.95, "\(account)")
    }
    let other = try #require(model.account(of: "hops", in: "publish-10"))
    #expect(other.explainedShare < 0.4)
    #expect(try #require(other.foretoldShare) < 0.4)
  }

  @Test func withoutPricesThereIsNoAccount() {
    let analysis = RunAnalysis(
      run: "r", samples: Self.samples(), options: AnalysisOptions(reference: "floor"))
    #expect(CostModel(analysis, EnvironmentRecord()) == nil)
  }

  @Test func theAccountAddsUpToTheOverhead() throws {
    let model = try #require(Self.model(priced: Self.prices.map { 2 * $0 }))
    for account in model.accounts {
      let sum = account.parts.reduce(0) { $0 + $1.nanoseconds }
      #expect(abs(sum - account.overheadNanoseconds) < 1e-6 * max(1, abs(account.overheadNanoseconds)))
    }
    #expect(model.records.map(\.contender) == model.accounts.map(\.summary.contender))
    for record in model.records { #expect(throws: Never.self) { try record.validate() } }
  }

  /// A price twice too high is found out: it is not what the cells are made of.
  @Test func aWrongPriceExplainsLess() throws {
    let wrong = try #require(Self.model(priced: [50_000, 40, 10]))
    #expect(wrong.explained(by: \.explainedShare).well < 10)
  }

  @Test(arguments: [2, 1_000])
  func ofFewCellsOwnWorkIsNotToldFromWhatIsLeft(upTo most: Int) throws {
    let few = Self.samples().filter { $0.contender != "hops" || $0.fanOut < most }
    let model = try #require(Self.model(few))
    let account = try #require(model.account(of: "hops", in: "publish-1"))
    #expect(account.ownWorkNanoseconds == nil && account.foretoldShare == nil)
    #expect(account.parts.last?.name == "own work, and what is not explained")
  }

  @Test func withoutTheServiceAloneOverheadIsAboveTheReference() throws {
    let model = try #require(Self.model(Self.samples().filter { $0.contender != ExternalBaseline.service }))
    #expect(Set(model.accounts.map(\.base)) == ["floor"])
    #expect(Set(model.accounts.map(\.summary.contender)) == ["hops", "allocates"])
  }

  @Test func whatWasNotCountedHasNoAccount() {
    let uncounted = Self.samples().map { sample in
      var sample = sample
      sample.retains = nil
      return sample
    }
    #expect(Self.model(uncounted) == nil)
  }

  @Test func whatIsPrintedSaysWhatItIsMadeOfAndHowMuchItExplains() throws {
    let model = try #require(Self.model())
    let account = try #require(model.account(of: "hops", in: "publish-100"))
    let text = model.document(of: account, EnvironmentRecord()).text()
    for part in ["thread switch ", "thread switches", "own work", "above the service"] {
      #expect(text.contains(part), "\(text)")
    }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
    #expect(try model.json(of: account).contains("\"explained_share\""))
  }
}
