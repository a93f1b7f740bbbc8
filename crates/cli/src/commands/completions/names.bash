
# The names that recipients have.
_sealstone_names() {
    local folder="${HOME:-}/.config" name
    [[ "${XDG_CONFIG_HOME:-}" == /* ]] && folder="$XDG_CONFIG_HOME"
    for name in "$folder"/sealstone/recipients/[A-Za-z0-9]*; do
        name="${name##*/}"
        # `compgen -W` would expand what else a file could be called.
        [[ -f "$folder/sealstone/recipients/$name" && "$name" != *[^A-Za-z0-9._-]* ]] && printf '%s\n' "$name"
    done
}

# What the grammar offers, and names where recipients go.
_sealstone() {
    local word="${2-${COMP_WORDS[COMP_CWORD]}}" before="" option=""
    (( COMP_CWORD > 0 )) && before="${COMP_WORDS[COMP_CWORD-1]}"
    (( COMP_CWORD > 1 )) && option="${COMP_WORDS[COMP_CWORD-2]}"
    COMPREPLY=()
    if [[ "$word" == @* ]]; then
        COMPREPLY=( $(compgen -P @ -W "$(_sealstone_names)" -- "${word#@}") )
    elif [[ "$before" == *@ || "$option $before" == "keys remove" ]]; then
        # Where the shell takes the @ for the end of a word, it stands there already.
        COMPREPLY=( $(compgen -W "$(_sealstone_names)" -- "$word") )
    else
        _sealstone_grammar "$@"
        case "$word $option $before" in
            " "*" -r" | " "*" --recipient" | " --recipient =")
                COMPREPLY+=( $(compgen -P @ -W "$(_sealstone_names)") )
                ;;
        esac
    fi
    return 0
}
