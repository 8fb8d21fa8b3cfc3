#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# The live tests and the text of every event in an initramfs, cross-built, on s390x under QEMU.
exec "${SRC:-$(dirname "$0")/../..}/tests/vm/run" s390x
