#!/usr/bin/env bash
# Checks files, enforces kernel limits, compares with earlier builds, and writes the results as a
# job summary in Markdown and as SARIF. action.yml calls it; it also runs elsewhere:
#
#   ZEVIEW               the program; default: `zeview`
#   ZEVIEW_FILES         files and patterns (* ? [] **), one per line
#   ZEVIEW_STRICT        true: also fail on warnings
#   ZEVIEW_DEVICE        the device to check for
#   ZEVIEW_FAIL_IF       conditions of `zeview kernels --fail-if`, one per line
#   ZEVIEW_BASE          the earlier file or folder
#   ZEVIEW_HEAD          the later file or folder; default: the file in ZEVIEW_FILES
#   ZEVIEW_DIFF_FAIL_IF  conditions of `zeview diff --fail-if`, one per line
#   ZEVIEW_SARIF         where to write the SARIF log; default: none
#   GITHUB_STEP_SUMMARY  file to append the summary to; default: standard output
#   GITHUB_OUTPUT        file to append `sarif=PATH` to
#
# Exit status: 1 if anything fails, else 2 if something could not be judged, else 0.
set -euo pipefail
shopt -s nullglob
# bash 3.2 (macOS) has no `**`.
has_globstar=true
shopt -s globstar 2>/dev/null || has_globstar=false

# Colors would end up in the summary.
export NO_COLOR=1
unset CLICOLOR_FORCE

zeview=${ZEVIEW:-zeview}
summary=${GITHUB_STEP_SUMMARY:-/dev/stdout}
status=0

# GitHub rejects summaries larger than 1 MiB. A summary has at most five parts.
longest=200000

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'zeview: %s\n' "$1" >&2
    exit 2
}

# Combines exit statuses: a failure takes precedence over results that could not be judged.
settle() {
    if [ "$status" -ne 1 ] && [ "$1" -ne 0 ]; then
        status=$1
    fi
}

# Sets `lines` to the non-blank lines of a text.
lines_of() {
    lines=()
    local line
    while IFS= read -r line || [ -n "$line" ]; do
        line=${line%$'\r'}
        if [ -n "${line//[[:space:]]/}" ]; then
            lines+=("$line")
        fi
    done <<<"$1"
}

# Sets `options` to one `OPTION=LINE` per line of a text.
options_of() {
    options=()
    lines_of "$2"
    local line
    # bash 3.2 (macOS) treats the elements of an empty array as unset variables.
    for line in ${lines[@]+"${lines[@]}"}; do
        # As one word: a condition may begin with a hyphen.
        options+=("$1=$line")
    done
}

# Prints a path that cannot be taken for an option or for `-` (standard input).
plain() {
    case $1 in
        -*) printf './%s' "$1" ;;
        *) printf '%s' "$1" ;;
    esac
}

# Runs a command, with its output in the files `$work/text` and `$work/errors` and its status in
# `code`.
run() {
    code=0
    "$@" >"$work/text" 2>"$work/errors" </dev/null || code=$?
    # More than 2: the command could not run, or was killed.
    if [ "$code" -gt 2 ]; then
        code=2
    fi
}

# Prints a file, truncated to the maximum length.
beginning() {
    if [ "$(wc -c <"$1")" -gt "$longest" ]; then
        # Drop the truncated line.
        head -c "$longest" "$1" | sed '$d'
        printf '%s\n' '… the rest is in the log'
    else
        cat "$1"
    fi
}

# Prints the output of the command to the log. The runner does not interpret lines of it as workflow
# commands.
log() {
    printf '$ %s\n' "$1"
    if [ "${GITHUB_ACTIONS:-}" = true ]; then
        local token
        token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
        printf '::stop-commands::%s\n' "$token"
        cat "$work/text" "$work/errors"
        printf '\n::%s::\n' "$token"
    else
        cat "$work/text" "$work/errors"
    fi
}

# Appends the non-empty files to the summary verbatim, each in a fence that is longer than any run of
# backticks in the file.
fenced() {
    local file fence
    for file in "$@"; do
        if [ ! -s "$file" ]; then
            continue
        fi
        fence='```'
        while grep -qF -- "$fence" "$file"; do
            fence+='`'
        done
        {
            printf '%s\n' "$fence"
            beginning "$file"
            printf '%s\n\n' "$fence"
        } >>"$summary"
    done
}

# Appends a heading with the step and its result.
heading() {
    local words
    case $2 in
        0) words='passed' ;;
        1) words='failed' ;;
        *) words='could not be judged' ;;
    esac
    printf '### %s: %s\n\n' "$1" "$words" >>"$summary"
}

files=()
lines_of "${ZEVIEW_FILES:-}"
for pattern in ${lines[@]+"${lines[@]}"}; do
    pattern=$(plain "$pattern")
    if [ -e "$pattern" ]; then
        found=("$pattern")
    elif [[ $pattern = *'**'* && $has_globstar = false ]]; then
        fail "** requires bash 4; this is bash $BASH_VERSION"
    else
        # Expands file names only: an empty IFS prevents splitting, and nothing is executed.
        IFS=
        # shellcheck disable=SC2206
        found=($pattern)
        unset IFS
    fi
    before=${#files[@]}
    for file in ${found[@]+"${found[@]}"}; do
        if [ -f "$file" ]; then
            files+=("$file")
        fi
    done
    if [ -d "$pattern" ]; then
        fail "$(printf '%q' "$pattern") is a folder: write $(printf '%q' "${pattern%/}")/** for its files"
    fi
    if [ "${#files[@]}" -eq "$before" ]; then
        fail "$(printf '%q' "$pattern") matches no file"
    fi
done
if [ "${#files[@]}" -eq 0 ]; then
    fail 'no files given'
fi

check=(check)
case ${ZEVIEW_STRICT:-false} in
    true) check+=(--strict) ;;
    false) ;;
    *) fail 'strict must be true or false' ;;
esac
if [ -n "${ZEVIEW_DEVICE:-}" ]; then
    check+=("--device=$ZEVIEW_DEVICE")
fi

printf '## zeview\n\n' >>"$summary"

run "$zeview" "${check[@]}" "${files[@]}"
log 'zeview check'
heading 'Check' "$code"
fenced "$work/errors" "$work/text"
settle "$code"

if [ -n "${ZEVIEW_SARIF:-}" ]; then
    case $ZEVIEW_SARIF in
        # A line break would add another output to GITHUB_OUTPUT.
        *$'\n'*) fail 'the path of the SARIF log has a line break' ;;
    esac
    # It fails like the check above; only the log matters here.
    "$zeview" "${check[@]}" --sarif "${files[@]}" >"$ZEVIEW_SARIF" 2>/dev/null </dev/null || true
    if [ ! -s "$ZEVIEW_SARIF" ]; then
        fail 'no SARIF log was written'
    fi
    if [ -n "${GITHUB_OUTPUT:-}" ]; then
        printf 'sarif=%s\n' "$ZEVIEW_SARIF" >>"$GITHUB_OUTPUT"
    fi
fi

options_of --fail-if "${ZEVIEW_FAIL_IF:-}"
if [ "${#options[@]}" -gt 0 ]; then
    run "$zeview" kernels "${options[@]}" "${files[@]}"
    log 'zeview kernels'
    heading 'Kernels' "$code"
    fenced "$work/errors" "$work/text"
    settle "$code"
fi

if [ -n "${ZEVIEW_BASE:-}" ]; then
    head=${ZEVIEW_HEAD:-}
    if [ -z "$head" ]; then
        if [ "${#files[@]}" -ne 1 ]; then
            fail 'several files: set head to the one to compare with base'
        fi
        head=${files[0]}
    fi
    options_of --fail-if "${ZEVIEW_DIFF_FAIL_IF:-}"
    run "$zeview" diff --markdown ${options[@]+"${options[@]}"} \
        "$(plain "$ZEVIEW_BASE")" "$(plain "$head")"
    # A difference alone is not a failure.
    if [ "${#options[@]}" -eq 0 ] && [ "$code" -eq 1 ]; then
        code=0
    fi
    log 'zeview diff'
    heading 'Compared with the base' "$code"
    fenced "$work/errors"
    # The output is already Markdown, with names and values escaped.
    {
        beginning "$work/text"
        printf '\n'
    } >>"$summary"
    settle "$code"
fi

exit "$status"
