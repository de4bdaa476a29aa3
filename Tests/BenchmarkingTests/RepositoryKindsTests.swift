import Foundation
import TestSupport
import Testing

/// `check --against` in the kinds of repository that users have, with a fake `swift` that records what it would have built.
@Suite(.ownThread) struct RepositoryKindsTests {
  /// A kind of repository: a shell script in which `two` commits everything, and then another commit.
  struct Kind: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let script: String
    let seen: String?
    let says: [String]

    /// - Parameter seen: the content of `seen`, which the other commit's build writes; nil: it is not built.
    init(_ testDescription: String, _ script: String, seen: String? = "right", says: [String] = []) {
      (self.testDescription, self.script, self.seen, self.says) = (testDescription, script, seen, says)
    }
  }

  /// Each build prints what the commit's own file `look` says.
  private static let kinds = [
    Kind("plain", "two 'echo right'"),
    Kind(
      "a submodule", "library ../lib right; git submodule --quiet add ../lib helper; two 'cat helper/name'"),
    Kind(
      "a submodule that is gone",
      "library ../lib right; git submodule --quiet add ../lib helper; two 'cat helper/name'; mv ../lib ../away",
      seen: nil, says: ["the submodules of HEAD~1", "/lib' does not exist"]),
    Kind(
      "a package in a subfolder",
      "mkdir Sub; mv Package.swift Sub; echo right > name; cd Sub; two 'cat ../name'"),
    Kind(
      "a package within another one, which knows it by its folder's name",
      "mkdir Sub; cp Package.swift Sub; cd Sub; two 'cd ..; basename $PWD | sed s/repository/right/'"),
    Kind(
      "a dependency beside the repository", "library ../lib right; two 'cat ../lib/name'; keep=../lib/name"),
    Kind(
      "a shallow clone",
      "two 'echo right'; cd ..; git clone --quiet --depth 1 file://$PWD/repository shallow; cd shallow",
      seen: nil, says: ["git fetch --unshallow"]),
    Kind(
      "a work tree of another repository",
      "two 'echo right'; git worktree add --quiet -b other ../other; cd ../other"),
    Kind(
      "a hook that fails",
      "two 'echo right'; echo 'exit 1' > .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout"),
    Kind(
      "a hook that checks",
      "two 'echo right'; echo more > staged; git add staged; export GIT_INDEX_FILE=$PWD/.git/index GIT_DIR=$PWD/.git; dirty=--allow-dirty"
    ),
    Kind(
      "Package.resolved that no commit has",
      "echo Package.resolved >> .gitignore; echo right > Package.resolved; two 'cat Package.resolved'"),
    Kind(
      "Package.resolved that is committed",
      "echo right > Package.resolved; two 'cat Package.resolved'; echo other > Package.resolved; git commit --quiet --all --amend -m two"
    ),
    Kind("files of Git LFS", "lfs; two 'cat a.bin'"),
    Kind(
      "files of Git LFS that are here, but not fetched",
      "lfs; two 'cat a.bin'; git config filter.lfs.smudge cat", seen: nil,
      says: ["a.bin", "git lfs fetch origin"]),
    Kind(
      "files of Git LFS that are nowhere",
      "lfs; two 'wc -l < a.bin | sed s/3/right/'; git config filter.lfs.smudge cat; rm a.bin; git checkout a.bin"
    ),
    Kind(
      "Git LFS that is not installed", "lfs; two 'cat a.bin'; git config filter.lfs.smudge 'git-lfs smudge'",
      seen: nil, says: ["install git-lfs"]),
    Kind(
      "a check that was killed while it checked out",
      "two 'echo right'; git worktree add --quiet --detach --lock .build/check/source/repository HEAD~1"),
    Kind(
      "a work tree on a drive that is away",
      "two 'echo right'; git worktree add --quiet -b other ../other; mv ../other ../away; keep=.git/worktrees/other"
    ),
    Kind(
      "a sparse checkout",
      "mkdir more; touch more/file; two 'echo right'; git sparse-checkout set --no-cone '/*' '!more'"),
    Kind(
      "uncommitted changes", "two 'echo right'; echo more > é", seen: nil, says: ["(é)", "--allow-dirty"]),
    Kind(
      "a repository that git cannot read whole",
      "library ../lib right; git submodule --quiet add ../lib helper; two 'cat helper/name'; rm -r .git/modules",
      seen: nil, says: ["git cannot say whether the work tree has changes"]),
    Kind(
      "the folder of another package", "two 'exit 9'", seen: "",
      says: ["has no executable odd-benchmarks in", "run this in the folder of the executable's package"]),
    Kind(
      "a dependency beside the repository that has changed since",
      "library ../lib wrong; two 'cat ../lib/name'; check HEAD~1 || true; sleep 0.01; echo right > ../lib/name"
    ),
    Kind(
      "a build that is kept",
      "library ../lib right; two 'cat ../lib/name'; check HEAD~1 || true; echo : > $STATE/bin/swift"),
  ]

  private static let setUp = #"""
    set -e
    export GIT_CONFIG_COUNT=3 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=a GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=a@b
    export GIT_CONFIG_KEY_2=protocol.file.allow GIT_CONFIG_VALUE_2=always GIT_CONFIG_NOSYSTEM=1 HOME=$PWD
    export STATE=$PWD PATH=$PWD/bin:$PATH
    commit() { git add --all :/; git commit --quiet -m "$1"; }
    two() { echo "$1" > look; commit one; echo more > README.md; commit two; }
    library() { git init --quiet "$1"; (cd "$1"; echo "$2" > name; commit library); }
    lfs() {
      echo '*.bin filter=lfs' > .gitattributes
      git config filter.lfs.required true
      git config filter.lfs.clean 'sh -c "cat > /dev/null; printf \"version https://git-lfs.github.com/spec/v1\noid\nsize\n\""'
      git config filter.lfs.smudge 'sh -c "cat > /dev/null; echo right"'
      echo right > a.bin
    }
    git init --quiet repository
    cd repository
    echo '// a package' > Package.swift
    echo .build > .gitignore
    """#

  private static let swift = #"""
    #!/bin/sh
    [ "$1" = --version ] && exit
    while [ $# -gt 0 ]; do
      case $1 in --product) product=$2 ;; --package-path) package=$2 ;; --scratch-path) scratch=$2 ;; esac
      shift
    done
    (cd "$package" && sh ./look > "$STATE/seen") || { echo "error: no product named '$product'"; exit 1; }
    mkdir -p "$scratch/release"
    [ ! -e "$package/../lib" ] || echo "{\"object\": {\"dependencies\": [{\"packageRef\":
      {\"kind\": \"fileSystem\", \"location\": \"${package%/*}/lib\"}}]}}" > "$scratch/workspace-state.json"
    printf '#!/bin/sh\necho "{\\"contenders\\": [], \\"scenarios\\": []}"\n' > "$scratch/release/$product"
    chmod +x "$scratch/release/$product"
    """#

  @Test(arguments: kinds)
  func `another commit is built in every kind of repository, or one line says why not`(kind: Kind) throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path("bin"), withIntermediateDirectories: true)
    try Program.writeScript(Self.swift, at: scratch.path("bin/swift"))
    let script = """
      check() { '\(OddBenchmarksTests.executable.path)' check --against "$@" --allow-debug-build; }
      cd '\(scratch.path)'
      \(Self.setUp)
      \(kind.script)
      before=$(git worktree list --porcelain | grep -c ^worktree) state=$(git status --porcelain || true)
      check HEAD~1 $dirty || code=$?
      [ "$code" = 5 ] || [ "$code" = 1 ]
      [ -z "$keep" ] || [ -e "$keep" ]
      [ "$(git status --porcelain || true)" = "$state" ]
      [ "$(git worktree list --porcelain | grep -c ^worktree)" -le "$before" ]
      echo well
      """
    let result = try Program.run(["bash", "-c", script])
    let lines = result.output.split(separator: "\n")
    #expect(lines.last == "well", "\(result.output)")
    let seen = try? String(contentsOfFile: scratch.path("seen"), encoding: .utf8)
    #expect(seen?.trimmingCharacters(in: .whitespacesAndNewlines) == kind.seen, "\(result.output)")
    let says = kind.says.isEmpty ? ["has none of these contenders and benchmarks"] : kind.says
    #expect(lines.contains { line in says.allSatisfy(line.contains) }, "\(result.output)")
  }
}
