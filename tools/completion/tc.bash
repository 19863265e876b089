# Completion of tc's programs in bash: options and subcommands as --help of the program names them, else files.
_tc_programs() {
  local word=${COMP_WORDS[COMP_CWORD]} help
  COMPREPLY=()
  if [[ $word == -* ]]; then
    help=$("${COMP_WORDS[0]}" --help 2>/dev/null) || return
    mapfile -t COMPREPLY < <(compgen -W "$(grep -oE -- '(^|[ ,])--?[a-zA-Z][a-z-]*' <<<"$help" | tr -d ' ,' | sort -u)" -- "$word")
    return
  fi
  if ((COMP_CWORD == 1)) && [[ ${COMP_WORDS[0]##*/} == tc-info ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'ops cpu model' -- "$word")
  fi
  compopt -o filenames 2>/dev/null
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
}
complete -F _tc_programs tc-run tc-opt tc-info tc-bench tc-serve
