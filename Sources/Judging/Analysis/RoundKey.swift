import Results

/// When a sample was taken: samples of one scenario that share it are compared.
struct RoundKey: Hashable, Comparable {
  let run: String
  let generation: Int
  let round: Int

  init(_ sample: Sample) {
    run = sample.run
    generation = sample.generation
    round = sample.round
  }

  static func < (left: RoundKey, right: RoundKey) -> Bool {
    (left.run, left.generation, left.round) < (right.run, right.generation, right.round)
  }

  /// The set of processes it was taken in.
  var process: Process { Process(run: run, generation: generation) }

  struct Process: Hashable, Comparable {
    let run: String
    let generation: Int

    static func < (left: Process, right: Process) -> Bool {
      (left.run, left.generation) < (right.run, right.generation)
    }
  }
}
