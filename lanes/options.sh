# Refuses options of make with which what runs says nothing of what passed. The scripts beside it source it: `$0` is theirs.
# The first word of MAKEFLAGS has the short options.
options=${MAKEFLAGS:-}
# What calls make from here looks into this one, too.
unset GNUMAKEFLAGS
case ${options%% *} in
--* | *=*) ;;
*[inqt]*)
    echo "$0: with -i, -n, -q or -t make says that tests passed which did not, or which it did not run" >&2
    exit 2
    ;;
esac
