/// What a channel does with elements that nobody waits for.
public enum CoChannelBuffering: Sendable, Hashable {
  /// Nothing: each sender waits for a receiver.
  case rendezvous
  /// Keeps so many; then senders wait. Memory is allocated as it is needed. With 0 it is a rendezvous.
  case bounded(Int)
  /// Keeps the newest; senders never wait.
  case conflated
  /// Keeps all of them; senders never wait.
  case unlimited
}
