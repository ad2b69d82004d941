#!/bin/sh
# Runs a compiler, which then says in a file (-MF) what it has read. Of a path there ninja reads as
# far as a character such as & or ', finds no such file, and compiles anew each time: so what lies
# below the checkout gets its path from the build folder, in which this runs.
"$@" || exit
while [ $# -gt 1 ]; do
  [ "$1" = -MF ] && file=$2
  shift
done
[ -f "$file" ] || exit 0

# A folder that CMake names, as a compiler writes it (\ before a blank), as a pattern.
pattern() {
  sed -n "s/^$1:INTERNAL=//p" CMakeCache.txt | sed 's/ /\\ /g; s/[\.*^]/\\&/g'
}
sed "s|$(pattern CMAKE_CACHEFILE_DIR)/||g; s|$(pattern CMAKE_HOME_DIRECTORY)/|${0%cmake/*}|g" \
  "$file" > "$file.new" && mv "$file.new" "$file"
