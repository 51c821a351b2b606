# For .ci/packaging: what the files beside it share.

# check <sentence> <command…>: runs the command; its output is shown when it fails.
check() {
  local sentence=$1 started=$SECONDS line=ok
  shift
  "$@" >"$WORK/output" 2>&1 </dev/null || line=FAILED
  echo "$line $sentence ($((SECONDS - started)) s)" | tee -a "$RESULTS"
  [ "$line" = ok ] || sed 's/^/    /' "$WORK/output" | tail -n 40
  [ "$line" = ok ]
}

has() { command -v "$1" >/dev/null; }

# missing <tool> <why>: says so; the tools are not complete.
missing() {
  echo "missing: $1 ($2)"
  return 1
}

# packages <command=package…>: installs by apt the packages whose command is not there.
packages() {
  local pair needed=()
  for pair; do has "${pair%%=*}" || needed+=("${pair#*=}"); done
  [ ${#needed[@]} = 0 ] && return
  [ "$(id -u)" = 0 ] && has apt-get || missing "${needed[*]}" 'installed by apt-get as root' || return
  { apt-get -qq update && apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${needed[@]}"; } \
    >"$WORK/apt" 2>&1 || { tail -n 3 "$WORK/apt"; missing "${needed[*]}" 'apt-get failed'; }
}

# retry <seconds> <command…>: until it succeeds.
retry() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.2
  done
}

free_port() {
  local port
  while port=$(shuf -i 20000-31999 -n 1) && (: </dev/tcp/127.0.0.1/"$port") 2>/dev/null; do :; done
  echo "$port"
}
