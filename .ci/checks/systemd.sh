# The units of ops/systemd: systemd knows every line of them, and they are closed to what the service does not need.
services="hookwright-migrate.service hookwright-api@3000.service hookwright-daemon@9464.service"

tools() { packages systemd-analyze=systemd; }

# A machine on which they are installed as docs/install.md says.
installed() {
  mkdir -p "$WORK/root/usr/lib/systemd/system" "$WORK/root/etc/systemd/system" "$WORK/root/opt/hookwright" &&
    cp /lib/systemd/system/*.target "$WORK/root/usr/lib/systemd/system/" &&
    cp -r ops/systemd/* "$WORK/root/etc/systemd/system/" &&
    cp hookwright "$WORK/root/opt/hookwright/"
}

verified() { # <unit>: it says nothing about the unit
  local said
  said=$(systemd-analyze verify --man=no --root="$WORK/root" "$1" 2>&1) && [ -z "$said" ] || { echo "$said"; return 1; }
}

checks() {
  local unit
  check 'systemd: the units are installed' installed
  for unit in hookwright.target $services; do
    check "systemd: verify $unit" verified "$unit"
  done
  for unit in $services; do
    # In tenths: 2.0.
    check "systemd: the exposure of $unit is at most 2.0" \
      systemd-analyze security --no-pager --offline=yes --root="$WORK/root" --threshold=20 "$unit"
  done
}
