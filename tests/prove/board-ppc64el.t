#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# What fits into an initramfs, cross-built, on ppc64el with pages of 64K under QEMU.
exec "${SRC:-$(dirname "$0")/../..}/tests/vm/run" ppc64el
