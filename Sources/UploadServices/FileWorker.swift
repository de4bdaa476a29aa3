import Foundation
import RawThreads
import UploadScenario

/// What each thread of the file service does.
struct FileWorker: Sendable {
  /// How much is copied between two looks at whether the upload was cancelled; a multiple of 8.
  private static let chunkBytes = 256 * 1024

  let ledger: Ledger
  let faults: Faults
  let store: ObjectStore
  let syncsToDisk: Bool

  func run(_ requests: WorkQueue<FileRequest>) {
    let parker = Parker()
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkBytes, alignment: 16)
    defer { chunk.deallocate() }
    while let request = requests.pop(waitingOn: parker) {
      switch request.takeJob() {
      case .upload(let media, let completion): completion(upload(media, request, chunk))
      case .lookup(let detail, let completion):
        // A store of files knows nothing of authors: the answer is made up, in turn with the rest.
        MadeUpAnswers(ledger: ledger, faults: faults).answer(
          .lookup(detail, completion), isCancelled: request.isCancelled)
      case .post(let post, let receipts, let completion):
        completion(createPost(post, receipts, request, chunk))
      case nil: continue
      }
    }
  }

  private func upload(
    _ media: Media, _ request: FileRequest, _ chunk: UnsafeMutableRawBufferPointer
  ) -> Result<Receipt, any Error> {
    do {
      let receipt = try copy(media, request, chunk)
      ledger.uploadFinished(media.index)
      return .success(receipt)
    } catch is CancellationError {
      ledger.uploadCancelled(media.index)
      return .failure(CancellationError())
    } catch {
      ledger.uploadFailed(media.index)
      let failure =
        error as? UploadFailure ?? UploadFailure(mediaIndex: media.index, reason: String(describing: error))
      return .failure(failure)
    }
  }

  private func copy(
    _ media: Media, _ request: FileRequest, _ chunk: UnsafeMutableRawBufferPointer
  ) throws -> Receipt {
    if request.isCancelled { throw CancellationError() }
    if let failure = faults.failure(at: media.index) { throw failure }
    if case .file(let file) = media.source, store.holds(file.path) {
      throw StoreError(
        path: file.path,
        reason:
          "will not write next to the source \(file.path): choose a store outside of the media directory")
    }
    var reader = try MediaReader(media)
    let written = try store.write(ObjectName.of(media), through: chunk, syncsToDisk: syncsToDisk) { chunk in
      if request.isCancelled { throw CancellationError() }
      return try reader.read(into: chunk)
    }
    // Made-up bytes are made from the checksum, which therefore stands for them.
    let checksum = if case .synthetic = media.source { media.checksum } else { written.checksum }
    return Receipt(mediaIndex: media.index, byteCount: written.byteCount, checksum: checksum)
  }

  private func createPost(
    _ post: Post, _ receipts: [Receipt], _ request: FileRequest, _ chunk: UnsafeMutableRawBufferPointer
  ) -> Result<Publication, any Error> {
    Result {
      var rest = try Manifest(post, receipts: receipts).encoded()[...]
      _ = try store.write(ObjectName.manifest, through: chunk, syncsToDisk: syncsToDisk) { chunk in
        if request.isCancelled { throw CancellationError() }
        let count = rest.copyBytes(to: chunk)
        rest = rest.dropFirst(count)
        return count
      }
      ledger.postCreated(receipts)
      return Publication(postID: post.id, receipts: receipts)
    }
  }
}
