"""Values that stay in the library's memory between runs."""
import numpy as np

from .. import _tc


class OrtDevice:
    """Where memory is; tc has the CPU's."""

    def __init__(self, device_type="cpu", memory_type=0, device_id=0):
        self._type, self._id = device_type, device_id
        _check_device(device_type, device_id)

    @staticmethod
    def make(device_type, device_id=0):
        return OrtDevice(device_type, 0, device_id)

    @staticmethod
    def cpu():
        return 0

    @staticmethod
    def default_memory():
        return 0

    def device_type(self):
        return self._type

    def device_id(self):
        return self._id


def _check_device(device_type, device_id):
    if str(device_type).lower() not in ("cpu", "0") or device_id:
        raise ValueError(f"there is no device {device_type}:{device_id}; tc runs on 'cpu', number 0")


class SparseTensor:
    """Refused: tc has no sparse values."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("tc has no sparse values: give dense arrays")

    sparse_coo_from_numpy = sparse_csr_from_numpy = ort_value_from_sparse_tensor = classmethod(__init__)


class OrtValue:
    """A tensor, sequence or map, or nothing (an absent optional value)."""

    def __init__(self, value):
        self._value = value

    @classmethod
    def ortvalue_from_numpy(cls, numpy_obj, device_type="cpu", device_id=0):
        """A tensor of a copy of the array's elements."""
        _check_device(device_type, device_id)
        return cls(_tc.OrtValue.from_numpy(numpy_obj))

    @classmethod
    def ortvalue_from_numpy_with_onnx_type(cls, data, onnx_element_type):
        """A tensor of an ONNX element type whose words the array holds: bfloat16 in uint16, for one."""
        return cls(_tc.OrtValue.from_numpy_as(data, int(onnx_element_type)))

    @classmethod
    def ortvalue_from_shape_and_type(cls, shape, element_type, device_type="cpu", device_id=0):
        """A tensor of zeros; the element type is a NumPy dtype or the number of an ONNX type."""
        _check_device(device_type, device_id)
        if isinstance(element_type, int):
            element_type = {code: dtype for dtype, _, code in _tc.dtypes.values()}[element_type]
        return cls(_tc.OrtValue.from_shape(list(shape), element_type))

    @classmethod
    def ort_value_from_sparse_tensor(cls, sparse_tensor):
        """Refused: tc has no sparse values."""
        return SparseTensor(sparse_tensor)

    def device_name(self):
        """'cpu'."""
        return "cpu"

    def shape(self):
        """The extents of a tensor."""
        return list(self._value.shape())

    def data_type(self):
        """The type as text: "tensor(float)"."""
        return self._value.data_type()

    def element_type(self):
        """The number of a tensor's ONNX element type."""
        return self._value.element_type()

    def data_ptr(self):
        """The address of a tensor's elements, for as long as the value lives."""
        return self._value.data_ptr()

    def tensor_size_in_bytes(self):
        """The bytes of a tensor's elements."""
        return self._value.nbytes()

    def has_value(self):
        """Whether it is there: an optional value may be absent."""
        return self._value.has_value()

    def is_tensor(self):
        """Whether it is a tensor."""
        return self._value.is_tensor()

    def is_tensor_sequence(self):
        """Whether it is a sequence of tensors."""
        return self._value.is_tensor_sequence()

    def is_sparse_tensor(self):
        """False."""
        return False

    def as_sparse_tensor(self):
        """Refused: tc has no sparse values."""
        return SparseTensor(self)

    def numpy(self):
        """A copy as an array; of a sequence a list of them."""
        return self._value.numpy()

    def update_inplace(self, np_arr):
        """Writes the elements of an array of the same type and shape into this tensor."""
        self._value.update_inplace(np_arr)

    def __array__(self, dtype=None):
        return np.asarray(self.numpy(), dtype=dtype)
