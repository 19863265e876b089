"""Options, and what a model says about itself."""
import dataclasses
import enum


class GraphOptimizationLevel(enum.IntEnum):
    """How much a model is rewritten before it runs."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    """Accepted; nodes run one after the other, each on all threads."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(enum.IntEnum):
    """Accepted; the order is tc's."""

    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


class OrtAllocatorType(enum.IntEnum):
    INVALID = -1
    ORT_DEVICE_ALLOCATOR = 0
    ORT_ARENA_ALLOCATOR = 1


class OrtMemType(enum.IntEnum):
    CPU_INPUT = -2
    CPU_OUTPUT = -1
    DEFAULT = 0


class _WithEntries:
    """Options with entries by name."""

    __slots__ = ()

    def _set(self, name, value):
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError("names and values of entries are strings")
        self._entries[name] = value

    def _get(self, name):
        if name not in self._entries:
            raise RuntimeError(f"there is no entry '{name}'")
        return self._entries[name]


# Slots: a misspelled option is an error, not a wish that nobody hears.
class SessionOptions(_WithEntries):
    """How a session is made.

    tc follows intra_op_num_threads, graph_optimization_level, enable_profiling, profile_file_prefix,
    optimized_model_filepath, the overrides of free dimensions, and the entries "tc.isa", "tc.level", "tc.max_memory",
    "tc.max_steps", "tc.seed" and "tc.idle_contexts". The others are accepted.
    """

    __slots__ = (
        "enable_cpu_mem_arena enable_mem_pattern enable_mem_reuse enable_profiling execution_mode execution_order "
        "graph_optimization_level inter_op_num_threads intra_op_num_threads log_severity_level log_verbosity_level logid "
        "optimized_model_filepath profile_file_prefix use_deterministic_compute _entries _dims _initializers"
    ).split()

    def __init__(self):
        self.enable_cpu_mem_arena = True
        self.enable_mem_pattern = True
        self.enable_mem_reuse = True
        self.enable_profiling = False
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.execution_order = ExecutionOrder.DEFAULT
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.inter_op_num_threads = 0
        self.intra_op_num_threads = 0
        self.log_severity_level = -1
        self.log_verbosity_level = 0
        self.logid = ""
        self.optimized_model_filepath = ""
        self.profile_file_prefix = "onnxruntime_profile_"
        self.use_deterministic_compute = False
        self._entries = {}
        self._dims = {}
        self._initializers = {}

    def add_session_config_entry(self, name, value):
        """Sets an entry; both are strings."""
        self._set(name, value)

    def get_session_config_entry(self, name):
        """An entry that was set; RuntimeError where there is none."""
        return self._get(name)

    def add_free_dimension_override_by_name(self, name, extent):
        """The symbolic dimension of this name gets a fixed extent: faster programs."""
        self._dims[name] = int(extent)

    def add_free_dimension_override_by_denotation(self, denotation, extent):
        """Refused: tc keeps no denotations."""
        raise NotImplementedError("tc keeps no denotations of dimensions: override the dimension by its name")

    def add_initializer(self, name, value):
        """Refused."""
        raise NotImplementedError("tc reads weights from the model and its external files")

    def add_external_initializers(self, names, values):
        """Refused."""
        raise NotImplementedError("tc reads weights from the model and its external files")

    def register_custom_ops_library(self, path):
        """Refused."""
        raise NotImplementedError("tc runs no kernels of other libraries")


class RunOptions(_WithEntries):
    """How one run is done. A run whose `terminate` is set does not begin; the others are accepted."""

    __slots__ = (
        "log_severity_level log_verbosity_level logid only_execute_path_to_fetches terminate training_mode _entries"
    ).split()

    def __init__(self):
        self.log_severity_level = -1
        self.log_verbosity_level = 0
        self.logid = ""
        self.only_execute_path_to_fetches = False
        self.terminate = False
        self.training_mode = False
        self._entries = {}

    def add_run_config_entry(self, name, value):
        """Sets an entry; both are strings."""
        self._set(name, value)

    def get_run_config_entry(self, name):
        """An entry that was set; RuntimeError where there is none."""
        return self._get(name)


@dataclasses.dataclass(frozen=True)
class NodeArg:
    """An input or output: its name, its type ("tensor(float)"), and its extents: numbers, names, or None."""

    name: str
    type: str
    shape: list

    def __str__(self):
        return f"NodeArg(name={self.name!r}, type={self.type!r}, shape={self.shape})"

    __repr__ = __str__


@dataclasses.dataclass(frozen=True)
class ModelMetadata:
    """What a model says about itself."""

    producer_name: str = ""
    graph_name: str = ""
    domain: str = ""
    description: str = ""
    graph_description: str = ""
    version: int = 0
    custom_metadata_map: dict = dataclasses.field(default_factory=dict)
