import CoroutineUploads
import ReactiveStreamUploads
import UploadScenario

public let contenders: [any Contender] = [CoroutineUploads(), ReactiveStreamUploads()]
