
# Files, and the names that recipients have, or signers.
_sealstone_named() {
    local folder=$HOME/.config kind
    [[ ${XDG_CONFIG_HOME:-} == /* ]] && folder=$XDG_CONFIG_HOME
    local -a names
    for kind; do
        names+=($folder/sealstone/$kind/*(N.:t))
    done
    names=(${(u)names/#/@})
    _alternative 'names:name:compadd -a names' 'files:file:_files'
}

_sealstone_recipients() { _sealstone_named recipients }

_sealstone_signers() { _sealstone_named signers }
