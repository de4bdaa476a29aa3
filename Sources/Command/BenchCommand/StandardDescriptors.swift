import Foundation

/// Descriptors 0, 1 and 2, which a process takes to be its standard input, output and error.
enum StandardDescriptors {
  /// Puts an empty file behind each that was closed before the process began: else the next file that is opened, a record
  /// perhaps, would be standard output. Nothing can be written to it, so that what is printed there fails as before.
  static func fill() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
      // It gets the lowest number that is free, which is this one.
      _ = open("/dev/null", O_RDONLY)
    }
  }
}
