
# Files, and the names that recipients have.
_sealstone_recipients() {
    local folder=$HOME/.config
    [[ ${XDG_CONFIG_HOME:-} == /* ]] && folder=$XDG_CONFIG_HOME
    local -a names
    names=($folder/sealstone/recipients/*(N.:t))
    names=(${names/#/@})
    _alternative 'names:name:compadd -a names' 'files:file:_files'
}
