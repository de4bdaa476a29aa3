#if OpenCombine
  import OpenCombine
  import UploadScenario

  extension OpenCombineUploads {
    public func zip(
      _ post: Post, on service: some UploadService, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      // A zip of three says this in a line, but OpenCombine's aborts the process when its futures are fulfilled on
      // several threads. So the three go through one type, flattened as they arrive.
      let details = [
        service.author(of: post).map(Detail.author).eraseToAnyPublisher(),
        service.place(of: post).map(Detail.place).eraseToAnyPublisher(),
        service.audience(of: post).map(Detail.audience).eraseToAnyPublisher(),
      ]
      .publisher
      .flatMap { $0 }
      .collect()
      .map(PostDetails.init)
      return UploadJob(details.flatMap { service.createPost(post, details: $0) }, completion: completion)
    }
  }

  private enum Detail {
    case author(Author)
    case place(Place)
    case audience(Audience)
  }

  extension PostDetails {
    /// One of each, in any order.
    fileprivate init(_ details: [Detail]) {
      var (author, place, audience): (Author?, Place?, Audience?)
      for detail in details {
        switch detail {
        case .author(let value): author = value
        case .place(let value): place = value
        case .audience(let value): audience = value
        }
      }
      self.init(author: author!, place: place!, audience: audience!)
    }
  }
#endif
