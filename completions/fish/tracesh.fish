# Completion of tracesh for fish. tracesh itself says what can stand there.
# SPDX-License-Identifier: GPL-2.0-or-later

function __tracesh_complete
    set -l words (commandline -opc)
    # as it is typed, with the quote that is open
    set -l current (commandline -ct | string replace -r '^["\']' '')
    $words[1] --complete -- $words[2..-1] "$current" 2>/dev/null
end

complete -c tracesh -f -a '(__tracesh_complete)'
