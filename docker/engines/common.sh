# Sourced by the scripts of this folder: where the test engines live, and how a daemon of theirs is started and known again.
# shellcheck shell=bash
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
run=/run/code-sandbox-test      # sockets, pid files, the user's runtime folder: what ends with the engines
data=/var/lib/code-sandbox-test # images, logs, the user's home: kept, so that the next start is quick
user=sandbox-test
system_path=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
bridge=csbx0
docker_socket=$run/docker.sock
podman_socket=$run/podman.sock
user_runtime=$run/user
user_home=$data/home
rootless_socket=$user_runtime/podman/podman.sock
boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null || echo none)

say() { echo "engines: $*"; }
fail() {
  echo "engines: $*" >&2
  exit 1
}

# One start or stop at a time, whichever checkout it comes from. Daemons must not inherit the lock: see launch.
lock() {
  exec 9>"$run.lock"
  flock -w 300 9 || fail "another start or stop has held $run.lock for 300 s"
}

# When a process started, in ticks since boot; nothing for one that has ended, reaped or not.
started() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '$1 != "Z" { print $20 }'; }

# Is the process that we started under this name still that process? A pid alone may have been given to another one.
alive() {
  local pid start when
  read -r pid start when 2>/dev/null <"$run/$1.pid" || return 1
  [ "$when" = "$boot" ] && [ "$(started "$pid")" = "$start" ]
}

# launch NAME COMMAND... : in the background, outliving this shell and its terminal. In our folder, since conmon leaves a file
# `oom` in the current one.
launch() {
  local name=$1 pid
  shift
  (cd "$run" && exec setsid "$@") </dev/null >"$data/log/$name.log" 2>&1 9>&- &
  pid=$!
  echo "$pid $(started $pid) $boot" >"$run/$name.pid"
}

# stop NAME SECONDS: TERM, then KILL, and only a process that is ours.
stop() {
  local pid end=$((SECONDS + $2))
  if alive "$1"; then
    read -r pid _ <"$run/$1.pid"
    kill "$pid" 2>/dev/null || true
    while alive "$1" && [ $SECONDS -lt $end ]; do sleep 0.1; done
    if alive "$1"; then
      say "$1 did not end within $2 s of SIGTERM: killed"
      kill -KILL "$pid" 2>/dev/null || true
    fi
  fi
  rm -f "$run/$1.pid"
}

answers() { [ "$(curl -s --max-time 2 --unix-socket "$1" http://engine/_ping 2>/dev/null)" = OK ]; }

# ready NAME SOCKET SECONDS: waits until it answers, else fails with the end of its log.
ready() {
  local end=$((SECONDS + $3))
  until answers "$2"; do
    if ! alive "$1" || [ $SECONDS -ge $end ]; then
      echo "engines: $1 does not answer on $2 (waited up to $3 s); the end of $data/log/$1.log:" >&2
      tail -n 30 "$data/log/$1.log" >&2
      exit 1
    fi
    sleep 0.2
  done
}

# Put before a command: runs it as the test user, with an environment as after a login.
login=(setpriv --reuid "$user" --regid "$user" --init-groups env -i --chdir="$user_home" HOME="$user_home" USER="$user"
  LOGNAME="$user" SHELL=/bin/bash XDG_RUNTIME_DIR="$user_runtime" LANG=C.UTF-8 PATH="$system_path")

# Put before a rootful `podman`: the tests' own storage and settings.
rootful=(env CONTAINERS_CONF="$data/containers.conf" CONTAINERS_STORAGE_CONF="$data/storage.conf")

# The name under which this checkout is entered as a user of the engines.
holder() { echo "$root" | cksum | tr ' ' -; }
