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
#   ZEVIEW_DIFF_SKIP_NEW true: ZEVIEW_DIFF_FAIL_IF does not apply to kernels that the base does not have
#   ZEVIEW_ROWS          the largest number of rows of a table in the summary; default: 40. The log has all
#   ZEVIEW_SARIF         where to write the SARIF log; default: none
#   GITHUB_STEP_SUMMARY  file to append the summary to; default: standard output
#   GITHUB_OUTPUT        file to append `sarif=PATH` to
#
# Exit status: 1 if anything fails, else 2 if something could not be judged or an input is wrong, else 0.
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

# Prints files to a part of the log in which the runner does not obey workflow commands.
verbatim() {
    if [ "${GITHUB_ACTIONS:-}" = true ]; then
        local token
        token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
        printf '::stop-commands::%s\n' "$token"
        cat "$@"
        printf '\n::%s::\n' "$token"
    else
        cat "$@"
    fi
}

fail() {
    printf 'zeview: %s\n' "$1" >"$work/errors"
    verbatim "$work/errors" >&2
    exit 2
}

# Sets `quoted` to a name in one line of ASCII.
quote() {
    local LC_ALL=C
    printf -v quoted '%q' "$1"
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

# Runs a command of zeview with `options` on files, with its output in the files `$work/text` and
# `$work/errors` and its status in `code`. No name of a file is taken for an option, nor for `-`
# (standard input): this is the only place that runs zeview.
run() {
    local command=$1 file
    shift
    local paths=()
    for file in "$@"; do
        case $file in
            -*) file=./$file ;;
        esac
        paths+=("$file")
    done
    code=0
    "$zeview" "$command" ${options[@]+"${options[@]}"} -- "${paths[@]}" \
        >"$work/text" 2>"$work/errors" </dev/null || code=$?
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

# Prints the first rows of a table, and how many more there are. A table has up to two lines of titles.
rows_of() {
    local lines
    lines=$(wc -l <"$1")
    head -n "$((rows + 2))" "$1"
    if [ "$lines" -gt "$((rows + 2))" ]; then
        printf '… %s more lines are in the log\n' "$((lines - rows - 2))"
    fi
}

# Reports an input that zeview does not take, such as a condition on an unknown column: a mistake in the workflow, not a
# fact about a file. Runs the command with `options` on empty files. Only wrong arguments have messages that begin so.
require() {
    local file=$work/empty
    : >"$file"
    case $1 in
        diff) run diff "$file" "$file" ;;
        *) run "$1" "$file" ;;
    esac
    if [ "$code" -eq 2 ] && [ "$(head -c 7 "$work/errors")" = 'error: ' ]; then
        log "zeview $1"
        printf '### %s\n\n' 'An input of the action is wrong' >>"$summary"
        sed '/^$/,$d' "$work/errors" >"$work/wrong"
        fenced "$work/wrong"
        fail "an input of the action is wrong: $(head -n 1 "$work/errors")"
    fi
}

# Prints the output of the command to the log.
log() {
    printf '$ %s\n' "$1"
    verbatim "$work/text" "$work/errors"
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
            # The fence ends only at the start of a line.
            if [ -n "$(tail -c 1 "$file")" ]; then
                printf '\n'
            fi
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

# Sets `found` to the paths that a pattern matches. An empty IFS prevents splitting, and nothing is
# executed.
expand() {
    local IFS=
    # shellcheck disable=SC2206
    found=($1)
}

# Adds a path to `missed`, with the reason why files may be missing.
miss() {
    quote "$1"
    missed+=("$quoted $2")
}

# Sets `real` to the path of a folder without links; false if it cannot be entered.
real_path() {
    # The last character keeps line breaks at the end of the name.
    real=$(cd -P -- "$1" 2>/dev/null && pwd -P && printf x) || return 1
    real=${real%$'\nx'}
}

# Adds the folders to `missed` that the shell leaves out of a pattern without a word: those that it
# cannot read, and for `**` those behind links, unless they are searched at their own path.
account() {
    local before='' rest=$1 part folder
    while :; do
        part=${rest%%/*}
        found=(./)
        if [ -n "$before" ]; then
            expand "$before"
        fi
        for folder in ${found[@]+"${found[@]}"}; do
            if [ -d "$folder" ] && ! [[ -x $folder && ( -r $folder || $part != *[*?[]* ) ]]; then
                miss "$folder" 'is a folder that cannot be searched'
            fi
        done
        if [ "$part" = '**' ]; then
            account_below "$before"
        fi
        if [[ $rest != */* ]]; then
            return
        fi
        before+=$part/
        rest=${rest#*/}
    done
}

# Does the same for the folders at any depth in those of `found`, which the pattern $1 matches.
account_below() {
    local roots=() root folder is_searched
    for folder in ${found[@]+"${found[@]}"}; do
        if real_path "$folder"; then
            roots+=("${real%/}/")
        fi
    done
    expand "$1**/"
    for folder in ${found[@]+"${found[@]}"}; do
        if ! [[ -r $folder && -x $folder ]]; then
            miss "$folder" 'is a folder that cannot be searched'
        elif [ -L "${folder%/}" ] && real_path "$folder"; then
            is_searched=false
            for root in ${roots[@]+"${roots[@]}"}; do
                if [[ ${real%/}/ = "$root"* ]]; then
                    is_searched=true
                fi
            done
            if [ $is_searched = false ]; then
                miss "$folder" 'is a link, which ** does not follow: name it in another line'
            fi
        fi
    done
}

files=()
missed=()
lines_of "${ZEVIEW_FILES:-}"
for pattern in ${lines[@]+"${lines[@]}"}; do
    if [[ $pattern = *'**'* && $has_globstar = false ]]; then
        fail "** requires bash 4; this is bash $BASH_VERSION"
    fi
    quote "$pattern"
    if [[ -d $pattern && $pattern != *[*?[]* ]]; then
        name=$quoted
        quote "${pattern%/}"
        fail "$name is a folder: write $quoted/** for its files"
    fi
    before=$((${#files[@]} + ${#missed[@]}))
    account "$pattern"
    expand "$pattern"
    # A name with brackets may be meant literally. It is added to what the pattern matches: otherwise
    # a file that is named like the pattern would hide all others.
    is_new=true
    for file in ${found[@]+"${found[@]}"}; do
        if [ "$file" = "$pattern" ]; then
            is_new=false
        fi
    done
    if [[ $is_new = true && ( -e $pattern || -L $pattern ) ]]; then
        found+=("$pattern")
    fi
    for file in ${found[@]+"${found[@]}"}; do
        if [ -f "$file" ]; then
            files+=("$file")
        elif [ -L "$file" ] && [ ! -e "$file" ]; then
            miss "$file" 'is a link to nothing'
        elif [ -e "$file" ] && [ ! -d "$file" ]; then
            miss "$file" 'is not a file'
        fi
    done
    if [ $((${#files[@]} + ${#missed[@]})) -eq "$before" ]; then
        quote "$pattern"
        fail "$quoted matches no file"
    fi
done

if [ "$((${#files[@]} + ${#missed[@]}))" -eq 0 ]; then
    fail 'no files given'
fi

options=()
case ${ZEVIEW_STRICT:-false} in
    true) options+=(--strict) ;;
    false) ;;
    *) fail 'strict must be true or false' ;;
esac
if [ -n "${ZEVIEW_DEVICE:-}" ]; then
    options+=("--device=$ZEVIEW_DEVICE")
fi
case ${ZEVIEW_SARIF:-} in
    # A line break would add another output to GITHUB_OUTPUT.
    *[$'\n\r']*) fail 'the path of the SARIF log has a line break' ;;
esac

rows=${ZEVIEW_ROWS:-40}
case $rows in
    '' | 0 | *[!0-9]*) fail 'rows must be a positive number' ;;
esac
case ${ZEVIEW_DIFF_SKIP_NEW:-false} in
    true | false) ;;
    *) fail 'diff-skip-new must be true or false' ;;
esac

printf '## zeview\n\n' >>"$summary"

# Wrong inputs are found before files are read, which may take minutes.
check_options=(${options[@]+"${options[@]}"})
require check
options_of --fail-if "${ZEVIEW_FAIL_IF:-}"
if [ "${#options[@]}" -gt 0 ]; then
    require kernels
fi
options_of --fail-if "${ZEVIEW_DIFF_FAIL_IF:-}"
if [ "${#options[@]}" -gt 0 ]; then
    require diff
fi
options=(${check_options[@]+"${check_options[@]}"})

if [ "${#missed[@]}" -gt 0 ]; then
    printf '%s\n' "${missed[@]}" >"$work/errors"
    : >"$work/text"
    log 'files that were not read'
    heading 'Files' 2
    fenced "$work/errors"
    settle 2
fi
if [ "${#files[@]}" -eq 0 ]; then
    exit "$status"
fi

run check "${files[@]}"
log 'zeview check'
heading 'Check' "$code"
fenced "$work/errors" "$work/text"
settle "$code"

if [ -n "${ZEVIEW_SARIF:-}" ]; then
    options+=(--sarif)
    run check "${files[@]}"
    settle "$code"
    # Not a redirection: the shell opens connections for some paths.
    if [ "$(head -c 1 "$work/text")" != '{' ] || [ -d "$ZEVIEW_SARIF" ] \
        || ! cp -- "$work/text" "$ZEVIEW_SARIF"; then
        fail 'no SARIF log was written'
    fi
    if [ -n "${GITHUB_OUTPUT:-}" ]; then
        printf 'sarif=%s\n' "$ZEVIEW_SARIF" >>"$GITHUB_OUTPUT"
    fi
fi

options_of --fail-if "${ZEVIEW_FAIL_IF:-}"
if [ "${#options[@]}" -gt 0 ]; then
    run kernels "${files[@]}"
    log 'zeview kernels'
    heading 'Kernels' "$code"
    settle "$code"
    rows_of "$work/errors" >"$work/messages"
    rows_of "$work/text" >"$work/table"
    if [ "$code" -eq 1 ]; then
        # Those that fail, which may be beyond the first rows.
        options+=(--failing)
        run kernels "${files[@]}"
        rows_of "$work/text" >"$work/failing"
        printf '**Kernels that meet a condition:**\n\n' >>"$summary"
        fenced "$work/failing"
    fi
    fenced "$work/messages"
    if [ "$code" -eq 1 ]; then
        printf '**All kernels:**\n\n' >>"$summary"
    fi
    fenced "$work/table"
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
    is_judged=${options[0]+true}
    if [ -n "$is_judged" ] && [ "${ZEVIEW_DIFF_SKIP_NEW:-false}" = true ]; then
        options+=(--skip-new)
    fi
    options+=(--markdown)
    run diff "$ZEVIEW_BASE" "$head"
    # A difference alone is not a failure.
    if [ -z "$is_judged" ] && [ "$code" -eq 1 ]; then
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
