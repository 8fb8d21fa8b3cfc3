#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# What fits into an initramfs, cross-built, on arm64 with pages of 16K under QEMU.
exec "${SRC:-$(dirname "$0")/../..}/tests/vm/run" arm64-16k
