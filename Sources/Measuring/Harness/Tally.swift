import Results

/// Counts what a contender does in each of several scenarios, in passes of one fresh process.
public struct Tally<Work: Workload> {
  /// Posts of each scenario before those that count, so that caches are filled.
  public var warmUpPosts: Int
  /// One post each.
  public var passes: Int

  /// Four posts to warm up, and three to count.
  public init(warmUpPosts: Int = 4, passes: Int = 3) {
    self.warmUpPosts = warmUpPosts
    self.passes = passes
  }

  /// What became of one scenario.
  public enum Ending: Sendable, Hashable {
    /// What each pass counted, in their order: more than ``Tally/passes`` where none was undisturbed for long.
    case counted([Counts])
    /// Why there is none, for people.
    case failed(String)
  }

  /// Passes of every scenario, by its name; nil if it was interrupted.
  ///
  /// What fails is tried no further; the next scenario has a process of its own then.
  public func take(
    of contender: String, _ scenarios: [Work], launcher: some WorkerLauncher<Work>, isInterrupted: () -> Bool
  ) -> [String: Ending]? {
    var worker: (any WorkerHandle<Work>)?
    defer { worker?.stop() }
    var endings: [String: Ending] = [:]
    for scenario in scenarios {
      do {
        if isInterrupted() { return nil }
        let ready = try worker ?? launcher.launch(contender: contender)
        worker = ready
        endings[scenario.name] = .counted(try counts(of: scenario, on: ready, isInterrupted))
      } catch WorkerFailure.interrupted {
        return nil
      } catch {
        endings[scenario.name] = .failed("\(error)")
        worker?.stop()
        worker = nil
      }
    }
    return endings
  }

  private struct NotMeasured: Error, CustomStringConvertible { let description: String }

  private func counts(of scenario: Work, on worker: any WorkerHandle<Work>, _ isInterrupted: () -> Bool)
    throws
    -> [Counts]
  {
    func ask(_ iterations: Int) throws -> SampleReply {
      if isInterrupted() { throw WorkerFailure.interrupted }
      let reply = try worker.run(SampleRequest(scenario: scenario, iterations: iterations, purpose: .tally))
      guard reply.outcome == .measured else {
        throw NotMeasured(description: reply.reason ?? reply.outcome.rawValue)
      }
      return reply
    }
    _ = try ask(warmUpPosts)
    var quiet: [Counts] = []
    var all: [Counts] = []
    // Who loses its processor in the middle of a post meets other threads elsewhere: such a pass is taken again, until it is
    // clear that this machine has no others.
    while quiet.count < passes, all.count < 4 * passes {
      let reply = try ask(1)
      let counts = reply.counts ?? Counts()
      all.append(counts)
      if reply.usage.involuntarySwitches == 0 { quiet.append(counts) }
    }
    return quiet.count == passes ? quiet : all
  }
}
