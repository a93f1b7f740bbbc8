
# The names that recipients have, or signers.
_sealstone_names() {
    local folder="${HOME:-}/.config" kind name
    [[ "${XDG_CONFIG_HOME:-}" == /* ]] && folder="$XDG_CONFIG_HOME"
    for kind in "$@"; do
        for name in "$folder/sealstone/$kind"/[A-Za-z0-9]*; do
            name="${name##*/}"
            # `compgen -W` would expand what else a file could be called.
            [[ -f "$folder/sealstone/$kind/$name" && "$name" != *[^A-Za-z0-9._-]* ]] && printf '%s\n' "$name"
        done
    done | sort -u
}

# What the grammar offers, and names where recipients and signers go.
_sealstone() {
    local word="${2-${COMP_WORDS[COMP_CWORD]}}" before="" option="" kinds="recipients"
    (( COMP_CWORD > 0 )) && before="${COMP_WORDS[COMP_CWORD-1]}"
    (( COMP_CWORD > 1 )) && option="${COMP_WORDS[COMP_CWORD-2]}"
    case "${COMP_WORDS[1]-}" in
        verify-sig | hash) kinds="signers" ;;
        key | keys) kinds="recipients signers" ;;
    esac
    COMPREPLY=()
    if [[ "$word" == @* ]]; then
        COMPREPLY=( $(compgen -P @ -W "$(_sealstone_names $kinds)" -- "${word#@}") )
    elif [[ "$before" == *@ || "$option $before" == "keys remove" ]]; then
        # Where the shell takes the @ for the end of a word, it stands there already.
        COMPREPLY=( $(compgen -W "$(_sealstone_names $kinds)" -- "$word") )
    else
        _sealstone_grammar "$@"
        [[ -n "$word" ]] || case "${COMP_WORDS[1]-} $option $before" in
            *" -r" | *" --recipient" | *" --recipient =" | *" --from" | *" --from =" | "verify-sig "*" -k" | "verify-sig "*" --key"*)
                COMPREPLY+=( $(compgen -P @ -W "$(_sealstone_names $kinds)") )
                ;;
        esac
    fi
    return 0
}
