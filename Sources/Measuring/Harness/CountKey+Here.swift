import Results

extension CountKey {
  /// That of this machine, with the toolchain on its path; nil if there is no toolchain.
  public static func here(turns: String) -> CountKey? {
    Environment.toolchain().map {
      CountKey(
        toolchain: $0, system: Environment.system(), architecture: Environment.architecture, turns: turns)
    }
  }
}
