# sh sandbox.sh ROOT FOLDER rw|ro READABLE... -- COMMAND...
#
# What `./learn grade --sandbox unshare` starts in fresh namespaces (user, mount, net, pid, ipc,
# uts). ROOT, an empty folder, becomes the whole file system of COMMAND: a small tmpfs that shows
# READABLE and, read-only or not, FOLDER, each at its own path. No capability is left, so that
# nothing of it can be undone from inside.
set -e
root=$1 folder=$2 access=$3
shift 3
PATH=$PATH:/usr/sbin:/sbin

show() {
  if [ -d "$1" ]; then
    mkdir -p "$root$1"
  else
    mkdir -p "$root${1%/*}"
    : > "$root$1"
  fi
  mount --bind "$1" "$root$1"
}
show_read_only() {
  show "$1"
  mount -o remount,bind,ro,nosuid,nodev "$root$1"
}

mount -t tmpfs -o size=64m,nr_inodes=16k,mode=755,nosuid,nodev none "$root"
while [ "$1" != -- ]; do
  show_read_only "$1"
  shift
done
shift
if [ "$access" = rw ]; then show "$folder"; else show_read_only "$folder"; fi
for device in null zero urandom; do show "/dev/$device"; done
mkdir -p -m 1777 "$root/tmp"
[ "$access" = rw ] || folder=/tmp
# The first process of a namespace is deaf to its own signals: the shell is it, not COMMAND.
exec chroot "$root" setpriv --bounding-set=-all --inh-caps=-all --no-new-privs \
  sh -c 'cd "$0"; "$@"; exit $?' "$folder" "$@"
