#if OpenCombine || canImport(Combine)
  #if OpenCombine
    import OpenCombine
  #else
    import Combine
  #endif
  import UploadScenario

  extension OpenCombineUploads {
    public func zip(
      _ post: Post, on service: some UploadService, completion: @escaping Completion
    ) -> any UploadScenario.Cancellable {
      CombineJob(service).run(completion) { job in
        job.details(of: post)
          .flatMap { job.createPost(post, details: $0) }
          .eraseToAnyPublisher()
      }
    }
  }

  extension CombineJob {
    fileprivate func details(of post: Post) -> some Publisher<PostDetails, any Error> {
      #if OpenCombine
        // OpenCombine's `zip` crashes the process if one of its futures is released before the others. So the three lookups get one
        // common type and are flattened in the order of arrival.
        [
          author(of: post).map(Detail.author).eraseToAnyPublisher(),
          place(of: post).map(Detail.place).eraseToAnyPublisher(),
          audience(of: post).map(Detail.audience).eraseToAnyPublisher(),
        ]
        .publisher
        .flatMap { $0 }
        .collect()
        .map(PostDetails.init)
      #else
        author(of: post).zip(place(of: post), audience(of: post))
          .map { PostDetails(author: $0, place: $1, audience: $2) }
      #endif
    }
  }

  #if OpenCombine
    private enum Detail {
      case author(Author)
      case place(Place)
      case audience(Audience)
    }

    extension PostDetails {
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
#endif
