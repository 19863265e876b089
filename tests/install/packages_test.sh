#!/usr/bin/env bash
# packages_test.sh FOLDER: installs the Debian packages in FOLDER into a fresh minimal system, which debootstrap makes from
# the archive that this machine uses, and runs there what the README shows. TC_FRESH_SYSTEM names a folder that
# debootstrap made before, which is copied. Needs root. Exit status 77: no archive.
set -euo pipefail
packages=$(cd -- "$1" && pwd)
# Processor time, since others may use the machine: of the installation, and until the first result after it.
most_seconds=60
most_first_seconds=5

((EUID == 0)) || { echo "packages_test.sh needs root"; exit 77; }
[[ -n ${TC_FRESH_SYSTEM-} ]] || command -v debootstrap >/dev/null || { echo "debootstrap is not installed"; exit 77; }
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
root=$(mktemp -d)
trap 'umount -q "$root/proc" || true; rm -rf --one-file-system "$root"' EXIT

if [[ -n ${TC_FRESH_SYSTEM-} ]]; then
  cp -a "$TC_FRESH_SYSTEM/." "$root/"
elif ! debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$packages/debootstrap.log" 2>&1; then
  echo "debootstrap of $suite from $mirror failed:"; tail -n 3 "$packages/debootstrap.log"
  exit 77
fi
cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp /etc/resolv.conf "$root/etc/"
mount -t proc proc "$root/proc"
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages/"
inside() { chroot "$root" /usr/bin/env LC_ALL=C.UTF-8 HOME=/root sh -ec "$*"; }

used() { awk '{printf "%d", ($16 + $17) / 100}' /proc/$$/stat; } # by children that ended
inside 'apt-get update -qq'
begin=$SECONDS cpu=$(used)
inside 'DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends /packages/*.deb' >"$packages/install.log" 2>&1 ||
  { tail -n 20 "$packages/install.log"; exit 1; }
took=$((SECONDS - begin)) took_cpu=$(($(used) - cpu))
begin=$SECONDS cpu=$(used)
inside 'cd /tmp; tc-bench op:Conv --save-models . >/dev/null; tc-run Conv_1.onnx --random'
first=$((SECONDS - begin)) first_cpu=$(($(used) - cpu))
inside '
cd /tmp
for program in tc-run tc-opt tc-info tc-bench tc-ort; do $program --version; done
tc-info cpu
tc-run Conv_1.onnx --random --save out.npz --save-inputs in.npz
tc-opt Conv_1.onnx -o other.onnx --opset 21
tc-run other.onnx --inputs in.npz --expect out.npz
tc-bench op:Relu --engines tc --min-time 0.05 --blocks 1 --loads 1
tc-info --cpp other.onnx >model.cc; test -s model.cc
python3 -c "
import numpy, tc.numpy as np, tc.onnxruntime as ort
session = ort.InferenceSession(\"other.onnx\")
given = numpy.load(\"in.npz\")
(got,) = session.run(None, {i.name: given[i.name] for i in session.get_inputs()})
expected = numpy.load(\"out.npz\")
assert numpy.allclose(got, expected[expected.files[0]], atol=1e-4)
print(np.grad(lambda x: np.sum(x * x))(numpy.ones(3, \"float32\")))
"
test -f "$(tc-ort --path)/libonnxruntime.so.1"
test -e /usr/include/tc/tc_c.h
'
echo "installed in $took s ($took_cpu s of processor time), first result after $first s ($first_cpu s) more"
((took_cpu <= most_seconds && first_cpu <= most_first_seconds)) ||
  { echo "too slow: at most $most_seconds s and $most_first_seconds s of processor time"; exit 1; }
