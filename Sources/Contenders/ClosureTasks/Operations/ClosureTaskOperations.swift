import ClosureTasks
import RuntimeOperations

public let closureTaskOperations = RuntimeContender(
  name: "closure-tasks", summary: "ClosureTasks, the runtime of this package",
  implementations: [
    .taskGroup: { count in
      sum(of: .group(0..<count) { index, job in job.finish(with: index) })
    },
    .taskSequence: { count in
      sum(of: .sequence(0..<count) { index, job in job.finish(with: index) })
    },
  ])

private func sum(of task: ClosureTask<[Int]>) -> Int {
  let tally = Tally()
  task.perform(on: nil) { result in
    if case .success(let values) = result { tally.add(values.reduce(0, +)) }
  }
  return tally.sum
}
