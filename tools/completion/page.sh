#!/bin/sh
# page.sh HELP2MAN PROGRAM PAGE.gz: a manual page of what the program says of itself.
set -e
mkdir -p "$(dirname "$3")"
case ${2##*/} in
tc-run) what='runs ONNX models on the CPU' ;;
tc-opt) what='optimises ONNX models and prints what became of them' ;;
tc-info) what='says what tc covers, what the machine can do, what a model holds' ;;
tc-bench) what='compares inference engines on ONNX models' ;;
tc-ort) what='runs a program that uses ONNX Runtime on tc' ;;
tc-serve) what='serves ONNX models over HTTP' ;;
*) what="a program of tc" ;;
esac
"$1" --no-info --section 1 --name "$what" --output "${3%.gz}" "$2"
gzip -9nf "${3%.gz}"
