"""The exceptions of sessions, at the place where programs look for onnxruntime's."""
from ..._tc import session_errors as _errors

Fail = _errors.Fail
InvalidArgument = _errors.InvalidArgument
NoSuchFile = _errors.NoSuchFile
NoModel = _errors.NoModel
EngineError = _errors.EngineError
RuntimeException = _errors.RuntimeException
InvalidProtobuf = _errors.InvalidProtobuf
ModelLoaded = _errors.ModelLoaded
NotImplemented = _errors.NotImplemented
InvalidGraph = _errors.InvalidGraph
EPFail = _errors.EPFail
