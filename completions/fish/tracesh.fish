# Completion of tracesh for fish. tracesh itself says what can stand there.
# SPDX-License-Identifier: GPL-2.0-or-later

function __tracesh_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    $words[1] --complete -- $words[2..-1] "$current" 2>/dev/null
end

complete -c tracesh -f -a '(__tracesh_complete)'
