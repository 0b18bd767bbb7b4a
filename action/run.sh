#!/usr/bin/env bash
# Checks files, holds their kernels to limits, compares them with earlier ones, and writes what it
# found as a job summary in Markdown and as SARIF. action.yml calls it; it runs elsewhere, too:
#
#   ZEVIEW               the program; `zeview` without
#   ZEVIEW_FILES         files and patterns (* ? [] **), one a line
#   ZEVIEW_STRICT        true: warnings fail
#   ZEVIEW_DEVICE        the device that files are checked for
#   ZEVIEW_FAIL_IF       conditions of `zeview kernels --fail-if`, one a line
#   ZEVIEW_BASE          what is compared with: a file or a folder
#   ZEVIEW_HEAD          what is compared; the file in ZEVIEW_FILES without
#   ZEVIEW_DIFF_FAIL_IF  conditions of `zeview diff --fail-if`, one a line
#   ZEVIEW_SARIF         where the SARIF log goes; none is written without
#   GITHUB_STEP_SUMMARY  where the summary is appended; standard output without
#   GITHUB_OUTPUT        where the log's path is appended, as `sarif=PATH`
#
# Exit status: 0 if everything was judged and is well, 1 if something fails, 2 if nothing is known to
# fail but something could not be judged.
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

# A summary of more than 1 MiB is refused as a whole. It has five parts at most.
longest=200000

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    printf 'zeview: %s\n' "$1" >&2
    exit 2
}

# A failure is certain, whatever else could not be judged.
settle() {
    if [ "$status" -ne 1 ] && [ "$1" -ne 0 ]; then
        status=$1
    fi
}

# Sets `lines` to the lines of a text that are not blank.
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

# Sets `options` to an option before each line of a text.
options_of() {
    options=()
    lines_of "$2"
    local line
    # bash 3.2 (macOS) takes the elements of an empty array for an unset variable.
    for line in ${lines[@]+"${lines[@]}"}; do
        # In one word: a condition that begins with a hyphen is none of the options.
        options+=("$1=$line")
    done
}

# A path that is no option and not `-`, which is standard input.
plain() {
    case $1 in
        -*) printf './%s' "$1" ;;
        *) printf '%s' "$1" ;;
    esac
}

# Runs a command; what it prints goes to the files `$work/text` and `$work/errors`, its status to
# `code`.
run() {
    code=0
    "$@" >"$work/text" 2>"$work/errors" </dev/null || code=$?
    # More than 2: it has not run, or was killed.
    if [ "$code" -gt 2 ]; then
        code=2
    fi
}

# The beginning of a file, if not all of it fits.
beginning() {
    if [ "$(wc -c <"$1")" -gt "$longest" ]; then
        # Without the line that is cut.
        head -c "$longest" "$1" | sed '$d'
        printf '%s\n' '… the rest is in the log'
    else
        cat "$1"
    fi
}

# Prints what the command said to the log. Lines of it are no commands to the runner, whatever they
# begin with.
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

# Appends files to the summary as they are, those with something in them: the fence is longer than
# all runs of backticks in the file.
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

# Appends a heading: what was done, and how it ended.
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
        fail "** takes bash 4, and this is bash $BASH_VERSION"
    else
        # Only names are made of it: without IFS nothing is split, and nothing is run.
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
    fail 'no files are given'
fi

check=(check)
case ${ZEVIEW_STRICT:-false} in
    true) check+=(--strict) ;;
    false) ;;
    *) fail 'strict is true or false' ;;
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
        # It would be a further output in GITHUB_OUTPUT.
        *$'\n'*) fail 'the path of the SARIF log has a line break' ;;
    esac
    # It fails like the check before; what matters is that the log is there.
    "$zeview" "${check[@]}" --sarif "${files[@]}" >"$ZEVIEW_SARIF" 2>/dev/null </dev/null || true
    if [ ! -s "$ZEVIEW_SARIF" ]; then
        fail 'there is no SARIF log'
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
            fail 'there are several files: head tells which to compare with base'
        fi
        head=${files[0]}
    fi
    options_of --fail-if "${ZEVIEW_DIFF_FAIL_IF:-}"
    run "$zeview" diff --markdown ${options[@]+"${options[@]}"} \
        "$(plain "$ZEVIEW_BASE")" "$(plain "$head")"
    # That something differs is no failure by itself.
    if [ "${#options[@]}" -eq 0 ] && [ "$code" -eq 1 ]; then
        code=0
    fi
    log 'zeview diff'
    heading 'Compared with the base' "$code"
    fenced "$work/errors"
    # It is Markdown already, with names and values escaped.
    {
        beginning "$work/text"
        printf '\n'
    } >>"$summary"
    settle "$code"
fi

exit "$status"
