import CEpoll
import Glibc

/// A system call that failed.
struct SystemError: Error, CustomStringConvertible {
  let description: String

  init(_ call: String, _ number: Int32 = errno) {
    description = "\(call): \(String(cString: strerror(number)))"
  }
}

/// Reports ready descriptors, level-triggered; any thread may add and remove descriptors.
struct Poller: Sendable {
  struct Event {
    /// The id given with the descriptor.
    let id: UInt64
    let isWritable: Bool
  }

  private let descriptor: Int32

  init() throws {
    descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
    if descriptor < 0 { throw SystemError("epoll_create1") }
  }

  func add(_ socket: Int32, id: UInt64, writing: Bool = false) {
    control(EPOLL_CTL_ADD, socket, id, writing ? EPOLLOUT : EPOLLIN)
  }

  /// Watches for reading only.
  func onlyRead(_ socket: Int32, id: UInt64) { control(EPOLL_CTL_MOD, socket, id, EPOLLIN) }

  private func control(_ operation: Int32, _ socket: Int32, _ id: UInt64, _ events: EPOLL_EVENTS) {
    var event = epoll_event(events: events.rawValue, data: epoll_data(u64: id))
    _ = epoll_ctl(descriptor, operation, socket, &event)
  }

  /// Waits for at most so many milliseconds; -1: no limit.
  func wait(milliseconds: Int32) -> [Event] {
    var events = [epoll_event](repeating: epoll_event(), count: 512)
    let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
    return events.prefix(max(0, Int(count))).map {
      Event(id: $0.data.u64, isWritable: $0.events & EPOLLOUT.rawValue != 0)
    }
  }
}

/// Nonblocking sockets of 127.0.0.1.
enum Socket {
  static func listen() throws -> (socket: Int32, port: UInt16) {
    let socket = try make()
    var address = address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withGeneric(&address) {
      bind(socket, $0, length) | Glibc.listen(socket, 4096) | getsockname(socket, $0, &length)
    }
    if status != 0 { throw SystemError("listen") }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  /// nil: no connection waits.
  static func accept(from listening: Int32) -> Int32? {
    let socket = Glibc.accept(listening, nil, nil)
    if socket < 0 { return nil }
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    return socket
  }

  static func connect(port: UInt16) throws -> Int32 {
    let socket = try make()
    var address = address(port: port)
    let status = withGeneric(&address) {
      Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    if status != 0, errno != EINPROGRESS {
      let number = errno
      close(socket)
      throw SystemError("connect", number)
    }
    return socket
  }

  /// Reads what is available; `isAtEnd` after the last byte; nil: the connection has failed.
  static func read(_ socket: Int32, into bytes: inout [UInt8]) -> (isAtEnd: Bool, error: SystemError?) {
    var buffer = [UInt8](repeating: 0, count: 1024)
    while true {
      let count = Glibc.read(socket, &buffer, buffer.count)
      if count == 0 { return (true, nil) }
      if count < 0 { return errno == EAGAIN ? (false, nil) : (true, SystemError("read")) }
      bytes += buffer.prefix(count)
    }
  }

  /// A few hundred bytes always fit the send buffer of a new connection.
  static func write(_ text: String, to socket: Int32) {
    let bytes = Array(text.utf8)
    _ = send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Closes with a reset, so that no port stays in TIME_WAIT.
  static func reset(_ socket: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close(socket)
  }

  /// Raises the limit of open descriptors, and returns it.
  static func raiseLimit() -> Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }

  private static func make() throws -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let made = Glibc.socket(AF_INET, kind, 0)
    if made < 0 { throw SystemError("socket") }
    return made
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }

  private static func withGeneric<R>(
    _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> R
  ) -> R {
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
  }
}
