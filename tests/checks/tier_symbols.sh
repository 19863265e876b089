#!/bin/sh
# tier_symbols.sh OBJECT_DIR...: fails when one weak symbol is defined in the objects of two tiers. The linker keeps one
# copy of such a symbol, so a machine without AVX-512 could be given AVX-512 code. One directory per tier.
list=$(mktemp) || exit 2
trap 'rm -f "$list"' EXIT
for dir in "$@"; do
  objects=$(find "$dir" -name '*.o')
  if [ -z "$objects" ]; then
    echo "tier_symbols: no objects in $dir"
    exit 1
  fi
  # shellcheck disable=SC2086
  nm --defined-only $objects | awk 'NF == 3 && $2 == "W" { print $3 }' | sort -u >>"$list"
done
twice=$(sort "$list" | uniq -d)
if [ -n "$twice" ]; then
  echo "weak symbols defined in more than one tier:"
  echo "$twice" | c++filt
  exit 1
fi
