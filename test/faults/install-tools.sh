#!/bin/sh
# What test/faults/patroni.test.ts needs besides a Postgres of the machine (Debian).
set -eu
if ! { command -v patroni && command -v etcd && PATH=$PATH:/usr/sbin command -v haproxy; } >/dev/null; then
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends postgresql patroni python3-etcd etcd-server haproxy
fi
