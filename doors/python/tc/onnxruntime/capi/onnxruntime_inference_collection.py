"""The classes of sessions, at the place where programs look for onnxruntime's."""
from .._session import InferenceSession, IOBinding, Session
from .._values import OrtValue, SparseTensor
