import Harness
import Results
import Verdicts

/// Counts allocations and retains, counts again what differs from the committed file, and tests the counting with controls.
final class CountersSession<Work: Workload> {
  /// The number of worker processes for each contender in a first comparison.
  private static var processes: Int { 2 }
  private static var confirmingProcesses: Int { 3 }
  private static var updatingProcesses: Int { 16 }
  private static var proofPlant: PlantedWork { PlantedWork(allocations: 1, retains: 1) }

  private let plan: CountersPlan<Work>
  private let options: CountersOptions<Work>
  private let workerOption: String
  private let turns: Turns
  private let launcher: ([String]) -> WorkerLauncher<SampleRequest<Work>>
  private let progress: (String) -> Void
  private let passes = CountingPasses<Work>()
  private var counted: [CellKey: CountedCell]
  private var proof: CountProof?
  private let stopwatch = Stopwatch()
  private var processCount = 0

  /// - Parameter launcher: starts a worker with the given options. `nil` starts this executable.
  init(
    _ plan: CountersPlan<Work>, _ options: CountersOptions<Work>, _ turns: Turns,
    workerOption: String = "--contender",
    launcher: (([String]) -> WorkerLauncher<SampleRequest<Work>>)? = nil,
    progress: @escaping (String) -> Void
  ) {
    self.launcher =
      launcher ?? { options in
        WorkerCommand.launcher(placement: turns.placement) { _ in options }
      }
    self.plan = plan
    self.workerOption = workerOption
    self.options = options
    self.turns = turns
    self.progress = progress
    counted = plan.keys.keyed { ($0, CountedCell($0)) }
  }

  var cells: [CountedCell] { plan.keys.compactMap { counted[$0] } }

  func report(
    against committed: [CountRecord], file: String, diff: String? = nil, remark: String? = nil,
    notes: [String] = []
  ) -> CheckReport {
    let note =
      "\(Plural.counted(processCount, "process")) in \(Int(stopwatch.seconds.rounded(.up))) s, \(Plural.counted(passes.passes, "pass")) each after \(Plural.counted(passes.warmUpPosts, Work.iterationName)) to warm up, \(turns.name) turns. A count that is the same in every pass of every process is checked exactly."
    return CheckReport(
      cells, against: committed, proof,
      CheckReport.CountTerms {
        ($0.base, $0.iteration, $0.turns) = (file, Work.iterationName, "\(turns.name) turns")
        $0.notes = notes + [note] + [turns.advice].compactMap(\.self) + plan.notes
        let remarks = [BuildAge.remark, pretence, remark, plan.remark].compactMap(\.self)
        $0.remark = remarks.isEmpty ? nil : remarks.joined(separator: " ")
      },
      diff: diff)
  }

  private var pretence: String? {
    let planted = [(options.plant.allocations, "allocation"), (options.plant.retains, "retain")].filter {
      $0.0 > 0
    }
    return planted.isEmpty
      ? nil
      : "Injected into every unit of work of this build: \(planted.map { Plural.counted($0.0, $0.1) }.joined(separator: " and "))."
  }

  func run() throws {
    for name in plan.contenders where plan.keys.contains(where: { $0.contender == name }) {
      progress("counting \(name) …")
      try count(name, processes: options.updates ? Self.updatingProcesses : Self.processes)
      // Counts that differ from the committed ones are taken again. Only the second counts decide.
      let doubtful = options.updates ? [] : doubtful(name)
      for key in doubtful { counted[key] = CountedCell(key) }
      if !doubtful.isEmpty { try count(name, processes: Self.confirmingProcesses, only: doubtful) }
    }
    try prove()
  }

  /// The scenarios whose counts differ from the committed ones or vary between passes.
  private func doubtful(_ contender: String) -> Set<CellKey> {
    let cells = plan.committed.filter { row in
      guard row.contender == contender, let cell = counted[row.cell], cell.failure == nil else {
        return false
      }
      return CountedQuantity.allCases.contains { quantity in
        row[quantity].map { !cell.agrees(with: $0, in: quantity) } ?? false
      }
    }
    return Set(cells.map(\.cell))
  }

  private func count(_ contender: String, processes: Int, only keys: Set<CellKey>? = nil) throws {
    let wanted = keys ?? Set(plan.keys.filter { $0.contender == contender })
    for turn in 0..<processes {
      for cell in try take(of: contender, wanted, options.plant, turn: turn) { counted[cell.key]?.add(cell) }
    }
  }

  /// Runs both controls with the contender that has the most exact counts.
  private func prove() throws {
    let gated = plan.committed.byCell
    func exactCounts(_ contender: String) -> Int {
      cells.filter { $0.key.contender == contender && $0.failure == nil }.reduce(0) { sum, cell in
        sum
          + CountedQuantity.allCases.count {
            cell.exact($0) != nil && (options.updates || gated[cell.key]?[$0]?.isExact == true)
          }
      }
    }
    guard let name = plan.contenders.max(by: { exactCounts($0) < exactCounts($1) }), exactCounts(name) > 0
    else { return }
    progress("checking the counts with controls of \(name) …")
    let subject = cells.filter { $0.key.contender == name }
    func again(_ work: PlantedWork) throws -> [CountedCell] {
      var cells = subject.map { CountedCell($0.key) }
      for turn in 0..<Self.processes {
        for taken in try take(of: name, Set(subject.map(\.key)), work, turn: turn) {
          if let index = cells.firstIndex(where: { $0.key == taken.key }) { cells[index].add(taken) }
        }
      }
      return cells
    }
    let more = PlantedWork(
      allocations: options.plant.allocations + Self.proofPlant.allocations,
      retains: options.plant.retains + Self.proofPlant.retains)
    // A control that fails is repeated once, in new processes.
    for _ in 0..<2 where proof?.holds(against: plan.committed) != true {
      proof = CountProof(
        subject: subject, control: try again(options.plant), positiveControl: try again(more),
        injected: expectation)
    }
  }

  private var expectation: [String: [CountedQuantity: Int]] {
    plan.scenarios.keyed { scenario in
      let (uploads, plant) = (scenario.fanOut, Self.proofPlant)
      return (
        scenario.name,
        [
          .allocations: uploads * plant.allocations, .retains: uploads * plant.retains,
          .allocatedBytes: uploads * plant.allocations * PlantedWork.bytesPerAllocation,
        ]
      )
    }
  }

  /// Counts a contender's scenarios in one process. Their order differs between processes, because a scenario may change the counts of the
  /// next one, for example by an array that it has grown.
  private func take(
    of contender: String, _ keys: Set<CellKey>, _ plant: PlantedWork, turn: Int
  ) throws -> [CountedCell] {
    let names = Set(keys.map(\.scenario))
    let scenarios = plan.scenarios.filter { names.contains($0.name) }
    let first = turn * scenarios.count / Self.updatingProcesses
    let rotated = Array(scenarios[first...] + scenarios[..<first])
    let launcher = launcher([
      workerOption, contender, "--plant-allocations", "\(plant.allocations)", "--plant-retains",
      "\(plant.retains)",
    ])
    processCount += 1
    let taken = passes.take(
      of: contender, turn.isMultiple(of: 2) ? rotated : rotated.reversed(), launcher: launcher,
      isInterrupted: { Interruption.isRequested })
    guard let taken else {
      throw Interrupted(options.updates ? "nothing was written" : "nothing was compared")
    }
    return taken.map { scenario, ending in
      var cell = CountedCell(CellKey(contender: contender, scenario: scenario))
      switch ending {
      case .counted(let passes): cell.add(passes.map(\.quantities))
      case .failed(let reason): cell.fail(reason)
      }
      return cell
    }
  }
}

extension Counts {
  fileprivate var quantities: [CountedQuantity: Int] {
    [.allocations: allocations, .allocatedBytes: allocatedBytes, .objects: objects, .retains: retains]
      .compactMapValues(\.self)
  }
}
