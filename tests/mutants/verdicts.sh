#!/usr/bin/env bash
# Whether every program gets the verdict that the name of its folder says, as far as it is `safe` or `bug`.
#
#   tests/mutants/verdicts.sh SLEAVE PROGRAMS
set -euo pipefail

sleave=$1 programs=$2
export sleave
# judged FILE: prints the file if it is judged otherwise. One that takes too long is not.
judged() {
    local file=$1 first options flags=() wanted
    first=$(head -1 "$file")
    options=()
    [[ $first == "// sleave: "* ]] && read -ra options <<<"${first#// sleave: }"
    for i in "${!options[@]}"; do
        if [ "${options[$i]}" = -- ]; then
            flags=("${options[@]:$i}")
            options=("${options[@]:0:$i}")
            break
        fi
    done
    wanted=$(basename "$(dirname "$file")")
    verdict=$(timeout 60 "$sleave" check --jobs 1 "${options[@]}" "$file" "${flags[@]}" 2>/dev/null | sed -n 's/^verdict: \([a-z]*\).*/\1/p') || true
    case $verdict in
    "$wanted" | "" | unknown) ;;
    *) echo "$file: $verdict" ;;
    esac
}
export -f judged
wrong=$(find "$programs"/safe "$programs"/bug -name '*.c' -print0 | sort -z | xargs -0 -P 2 -I{} bash -c 'judged {}')
[ -z "$wrong" ] || { echo "$wrong" >&2; exit 1; }
