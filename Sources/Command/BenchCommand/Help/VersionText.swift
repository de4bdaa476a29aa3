import Harness
import Results

/// `--version`: which build this is, in two lines, or in three if it is older than its sources.
enum VersionText {
  static func print() -> ExitCode {
    Terminal.print(text(of: Environment.build(), remark: BuildAge.remark))
    return .fine
  }

  static func text(of build: EnvironmentRecord, remark: String?) -> String {
    let commit =
      build.commit.map { "commit \($0.prefix(12))\(build.isDirty == true ? " + changes" : "")" }
      ?? "unknown commit"
    return [
      "\(CommandName.current), \(commit), \(build.buildConfiguration) build",
      build.toolchain ?? "unknown toolchain", remark,
    ].compactMap(\.self).joined(separator: "\n") + "\n"
  }
}
