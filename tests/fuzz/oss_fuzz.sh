#!/usr/bin/env bash
# The fuzzers as OSS-Fuzz wants them: built by its compiler ($CXX, $CXXFLAGS) for its engine ($LIB_FUZZING_ENGINE), with
# their corpora and the dictionary, into $OUT. ./dev fuzz runs them here.
set -euo pipefail
: "${OUT:?a folder for the fuzzers}" "${CXX:?}" "${LIB_FUZZING_ENGINE:?}"
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
build=${WORK:-/tmp}/tc-fuzz
mapfile -t targets < <(cut -d' ' -f1 "$root/tests/fuzz/seeds.txt")
# The flags have the sanitizers already.
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DTC_FUZZ=ON \
  -DTC_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" -DTC_PARALLEL=std -DTC_BUILD_ORT=OFF -DTC_BUILD_PYTHON=OFF
ninja -C "$build" fuzz_dictionary "${targets[@]/#/fuzz_}"
"$build/bin/fuzz_dictionary" >"$OUT/tc.dict"
for target in "${targets[@]}"; do
  cp "$build/bin/fuzz_$target" "$OUT/"
  cp "$OUT/tc.dict" "$OUT/fuzz_$target.dict"
  read -ra seeds < <(sed -n "s/^$target //p" "$root/tests/fuzz/seeds.txt")
  (cd "$root" && python3 -m zipfile -c "$OUT/fuzz_${target}_seed_corpus.zip" "${seeds[@]}")
done
