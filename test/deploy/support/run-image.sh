#!/bin/sh
# run-image.sh <root> <uid> <gid> <program> [argument]...
# Becomes the program in the root, as a container runtime starts it. It runs in namespaces of its own for mounts and
# processes, so that the program is process 1 there and the mounts end with it. The current folder is /, and not the
# image's, since capsh goes there.
set -eu
root=$1 uid=$2 gid=$3 program=$4
shift 4

# A runtime makes these folders, whatever the image has.
mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/tmp" "$root/etc"
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755,size=64k tmpfs "$root/dev"
for device in null zero full random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=1777,size=256m tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
mount -o remount,ro "$root/dev"

echo 'container starts'
exec capsh --chroot="$root" --drop=all --inh= --no-new-privs --gid="$gid" --groups= --uid="$uid" --shell="$program" -- "$@"
