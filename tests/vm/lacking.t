#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 2000
# On the distribution's own kernel, what the machine's has not.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
TRACESH_VM_LIMIT=${TRACESH_VM_LIMIT:-1700}
export TRACESH_VM_LIMIT
exec "$here/run" --lacking
