import UploadScenario

extension Model {
  /// Holds the service's ledger against what was promised, once the job has ended and the service is quiet.
  ///
  /// - Parameter promise: what was promised, however the job ends.
  package func breaches(
    of record: LedgerRecord, _ result: Result<Publication, any Error>, promise: Expectation
  ) -> [Breach] {
    guard let ending else { return [] }
    let expectation = promise.with(ending: ending.kind, failing: ending.unit.map { [$0] } ?? [])
    return expectation.differences(result: result, record: record).compactMap { difference in
      rule(of: difference.aspect, ending).map {
        Breach($0, seen: "\(difference.subject): \(difference.got)", promised: difference.expected)
      }
    }
  }

  private func rule(of aspect: Expectation.Aspect, _ ending: Ending) -> Promise? {
    switch aspect {
    // How it ended has been judged; what is left here is what was published.
    case .result: ending.kind == .publication ? .publication : nil
    case .receipts: .order
    case .requests: .everyUpload
    // A post that was under way when the job was told to stop may exist.
    case .posts: ending.kind == .publication || postsAskedFor == 0 ? .onePost : nil
    case .limit: .limit
    case .mediaUnderWay: .limitCoversPreparation
    case .chunksInMemory: .boundedChunks
    // Each was judged when it came.
    case .startsAfterCompletion: nil
    case .leftInFlight: .inFlightCancelled
    case .chunksLeft: .nothingLeft
    }
  }
}
