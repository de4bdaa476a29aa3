/// Takes samples of one contender, in this process: everything that is timed happens here.
public protocol Worker<Work> {
  /// What samples are taken of.
  associatedtype Work: Workload

  /// Takes one sample: does the work `iterations` times and holds each answer against what is expected.
  ///
  /// After a reply of `timedOut` the contender may still be busy: end the process, do not ask it again.
  /// - Throws: what keeps the work from being prepared.
  func run(_ request: SampleRequest<Work>) throws -> SampleReply
}
