import RuntimeTiming

/// How long to wait before each further attempt.
public typealias Backoff = RuntimeTiming.Backoff
