#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 3600
# What fits into an initramfs, cross-built, on armhf under QEMU.
exec "${SRC:-$(dirname "$0")/../..}/tests/vm/run" armhf
