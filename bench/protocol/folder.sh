#!/bin/sh
# What the commands that archive folders have in common: INPUT.folder is the input as files, and all contenders of a
# definition share it.
#
#   folder.sh make INPUT BYTES [SOURCE]   makes it, unless it is there: files of BYTES, a thousand in a folder, and beside
#                                         these folders the rest of the input as `last`; SOURCE leads to it
#   folder.sh same INPUT MADE OUTPUT      MADE, at whatever depth, has these files: then OUTPUT leads to the input, and MADE
#                                         is removed
#   folder.sh one INPUT MADE OUTPUT       the same where MADE is the file `last`, or has that file only
set -eu
verb=$1 input=$2 folder=$2.folder
case $verb in
make)
    if ! [ "$folder" -nt "$input" ]; then
        rm -rf "$folder"
        mkdir "$folder"
        BYTES=$3 split -b "$(($3 * 1000))" -a 3 -d \
            --filter='mkdir "$FILE" && split -b "$BYTES" -a 3 -d - "$FILE/"' "$input" "$folder/"
        mv "$(find "$folder" -type f | sort | tail -n 1)" "$folder/last"
    fi
    [ $# -lt 4 ] || ln -s "$folder" "$4"
    exit
    ;;
same) diff -r "$folder" "$(find "$3" -name last -printf '%h\n')" ;;
one) cmp "$folder/last" "$(find "$3" -type f)" ;;
esac
rm -rf "$3"
ln -s "$input" "$4"
