
# The names that recipients have, or signers.
function __sealstone_names
    set -l folder $HOME/.config
    string match -q '/*' -- "$XDG_CONFIG_HOME"; and set folder $XDG_CONFIG_HOME
    for name in $folder/sealstone/$argv[2..]/*
        test -f $name; and string replace -r '.*/' "$argv[1]" -- $name
    end
end
complete -c sealstone -n "__fish_seen_subcommand_from encrypt rewrap seal verify" -s r -l recipient -r -a "(__sealstone_names @ recipients)"
complete -c sealstone -n "__fish_seen_subcommand_from verify-sig" -s k -l key -r -a "(__sealstone_names @ signers)"
complete -c sealstone -n "__fish_seen_subcommand_from hash" -l from -r -a "(__sealstone_names @ signers)"
complete -c sealstone -n "__fish_seen_subcommand_from keys; and __fish_seen_subcommand_from remove" -f -a "(__sealstone_names '' recipients signers)"
