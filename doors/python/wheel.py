"""Makes a wheel of the installed package.

wheel.py PACKAGES_DIR OUT_DIR VERSION   PACKAGES_DIR/tc is the package, as `cmake --install BUILD --component python` lays it;
                                        prints the path of the wheel
"""
import base64
import hashlib
import pathlib
import sys
import sysconfig
import zipfile

METADATA = """Metadata-Version: 2.1
Name: tc
Version: {version}
Summary: A tensor compiler for CPUs: ONNX models, arrays, compiled functions, gradients
License: Apache-2.0
Requires-Python: =={python}.*
Requires-Dist: numpy<2
"""
WHEEL = """Wheel-Version: 1.0
Generator: tc wheel.py
Root-Is-Purelib: false
Tag: {tag}
"""


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main(packages, out, version):
    major, minor = sys.version_info[:2]
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"cp{major}{minor}-cp{major}{minor}-{platform}"
    files = {
        path.relative_to(packages).as_posix(): path.read_bytes()
        for path in sorted((packages / "tc").rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    info = f"tc-{version}.dist-info"
    files[f"{info}/METADATA"] = METADATA.format(version=version, python=f"{major}.{minor}").encode()
    files[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    record = [f"{name},{digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"tc-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # without times: the same files make the same wheel
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    print(wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]))
