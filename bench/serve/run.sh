#!/usr/bin/env bash
# run.sh [MODEL...]: how many requests per second tc-serve answers on this machine, with batches and without, to 16
# connections of wrk over loopback. MODEL: a network of the zoo, or an ONNX file (default: resnet18).
# SECONDS_EACH (10) and CONNECTIONS (16) change the load. Needs wrk and python3-numpy.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
bin=$here/../../build/bin
folder=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server"; rm -rf "$folder"' EXIT

measure() { # measure MODEL ARGUMENT...: one line of figures
  local model=$1 url= label="${*:2}"
  shift
  rm -f "$folder/url"
  "$bin/tc-serve" "model=$model" --port 0 "$@" >"$folder/url" 2>"$folder/log" &
  server=$!
  until [[ -s $folder/url ]]; do
    kill -0 "$server" 2>/dev/null || { cat "$folder/log"; exit 1; }
    sleep 0.1
  done
  url=$(<"$folder/url")
  wrk -t 2 -c "${CONNECTIONS:-16}" -d "${SECONDS_EACH:-10}" --latency --timeout 60 -s "$here/post.lua" "$url/v2/models/model/infer" \
    -- "$folder/body" "$(<"$folder/size")" >"$folder/wrk"
  printf '%-28s %s requests/s, p50 %s, p99 %s, %s rows a run%s\n' "${label:-batches}" \
    "$(awk '/^Requests\/sec/ {print $2}' "$folder/wrk")" "$(awk '$1 == "50%" {print $2}' "$folder/wrk")" \
    "$(awk '$1 == "99%" {print $2}' "$folder/wrk")" \
    "$(curl -s "$url/metrics" | awk '/^tc_run_rows_total/ {rows = $2} /^tc_runs_total/ {runs = $2} END {printf "%.1f", rows / runs}')" \
    "$(sed -n 's/^ *Non-2xx.*: /, failed: /p' "$folder/wrk")"
  kill "$server"
  wait "$server"
  server=
}

for model in "${@:-resnet18}"; do
  file=$model
  if [[ ! -f $file ]]; then
    "$bin/tc-bench" "zoo:$model" --save-models "$folder" >/dev/null
    file=$folder/$model.onnx
  fi
  "$bin/tc-run" "$file" --random --save-inputs "$folder/in.npz" >/dev/null
  /usr/bin/python3 "$here/body.py" "$folder/in.npz" "$folder/body" >"$folder/size"
  echo "$model:"
  measure "$file" --max-batch 1
  measure "$file" --max-batch 1 --instances 2
  measure "$file"
  sed -n 's/^tc-serve: model, /  /p' "$folder/log"
done
