# shellcheck shell=bash disable=SC2154 # `lab` sets here, hosts, timeout, command, peer, share, image and cable.
# Sourced by `lab`: starts User-mode Linux, carries its output, waits for the end and cleans up.

# Starts host $1 (A or B) in the background; its pid is in guest_pid[$1]. Further arguments are the kernel's.
declare -A guest_pid=()
reader_pids=()
start_guest() {
    local host=$1
    shift
    local arguments=(
        "mem=${ACCEL_LAB_MEMORY:-4096}M" root=/dev/root rootfstype=hostfs rootflags=/ ro "init=$exchange/guest/init"
        "lab.host=$host" "lab.exchange=$exchange/guest" quiet con=null ssl=null
        # The tables of TCP connections are as small as their number here: a reader of /proc/net/tcp walks all of them.
        thash_entries=512 uhash_entries=256
        # No bond but those that tests make.
        bonding.max_bonds=0 "$@"
    )
    # Dies with this script, even when that is killed with -9.
    local run=(env "TMPDIR=$(memory_directory)" setpriv --pdeathsig KILL "$image/linux" "${arguments[@]}")
    if [[ -e $exchange/guest/command.$host ]]; then
        mkfifo "$exchange"/{out,err}."$host"
        if [[ $host == A ]]; then
            cat "$exchange/out.A" &
            reader_pids+=($!)
            cat "$exchange/err.A" >&2 &
            reader_pids+=($!)
        else
            local name
            for name in out err; do
                sed -u 's/^/B| /' "$exchange/$name.B" >&2 &
                reader_pids+=($!)
            done
        fi
        "${run[@]}" con0=null,fd:1 ssl0=null,fd:8 ssl1=null,fd:9 </dev/null \
            >"$exchange/console.$host" 2>&1 8>"$exchange/out.$host" 9>"$exchange/err.$host" &
    else
        "${run[@]}" con0=fd:0,fd:1 <&0 2>"$exchange/console.$host" &
    fi
    guest_pid[$host]=$!
}

# Prints where a guest's memory lies: in this machine's, where that has room for it.
memory_directory() {
    local free
    free=$(df --output=avail -m /dev/shm 2>/dev/null | tail -n 1)
    if ((${free:-0} > ${ACCEL_LAB_MEMORY:-4096})); then echo /dev/shm; else echo "$exchange"; fi
}

# Quotes each argument for any POSIX shell (bash's own %q is for bash alone), all on one line.
quoted() {
    local argument
    for argument in "$@"; do
        printf "'%s' " "${argument//\'/\'\\\'\'}"
    done
}

write_environment() {
    local name
    for name in PATH HOME LANG JAVA_HOME JAVA_TOOL_OPTIONS MAVEN_OPTS "${!ACCEL_@}"; do
        if [[ -n ${!name-} ]]; then printf 'export %s=%s\n' "$name" "$(quoted "${!name}")"; fi
    done
}

# Also reaps it, which is when bash would report it as killed. The kernel leads a group, of which are its helpers.
end_process() {
    { kill -KILL "-$1" || kill -KILL "$1"; wait "$1"; } 2>/dev/null || true
}

# Removes the leftovers of a run that was itself killed with -9.
remove_leftovers() {
    local left pid
    for left in "${TMPDIR:-/tmp}"/accel-lab.*.*; do
        pid=${left%.*}
        pid=${pid##*.}
        if [[ -O $left && ! -e /proc/$pid ]]; then
            pkill -KILL -f "lab\.exchange=$left/" || true # a helper that outlived its kernel
            rm -rf "$left"
        fi
    done
}

clean_up() {
    local pid
    for pid in "${guest_pid[@]}" "${reader_pids[@]}"; do end_process "$pid"; done
    rm -rf "$exchange"
}

is_running() { [[ -n ${guest_pid[$1]-} ]] && kill -0 "${guest_pid[$1]}" 2>/dev/null; }

# Waits until host $1 has ended, at most until the deadline $2 (in SECONDS' time).
await() {
    while is_running "$1"; do
        ((SECONDS < $2)) || return 1
        sleep 0.1
    done
}

show_console() {
    {
        printf 'lab: the last lines of host %s:\n' "$1"
        tail -n 25 "$exchange/console.$1" 2>/dev/null | tr -d '\r'
    } >&2
}

run_guests() {
    local started=$SECONDS
    remove_leftovers
    exchange=$(mktemp -d "${TMPDIR:-/tmp}/accel-lab.$$.XXXXXX")
    trap clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    mkdir "$exchange/guest"
    cp "$here"/{init,guest} "$exchange/guest/"
    cp -R "$image/modules" "$exchange/guest/"
    pwd -P >"$exchange/guest/directory"
    printf '%s' "$share" >"$exchange/guest/share"
    write_environment >"$exchange/guest/environment"
    { grep -m 1 '^cpu MHz' /proc/cpuinfo || true; } >"$exchange/guest/clock"
    if ((${#command[@]})); then quoted "${command[@]}" >"$exchange/guest/command.A"; fi

    if ((hosts == 1)); then
        start_guest A
    else
        printf '%s\n' "${peer:-sleep 1000000}" >"$exchange/guest/command.B"
        start_guest A "vec0:transport=fd,fd=${cable[0]},mac=52:54:00:78:00:01,mtu=9000"
        start_guest B "vec0:transport=fd,fd=${cable[1]},mac=52:54:00:78:00:02,mtu=9000"
    fi

    if ! await A $((started + timeout)); then
        say "timed out after $timeout s"
        show_console A
        exit 124
    fi
    if ((hosts == 2)); then
        # A server that ends by itself may still say its last words.
        await B $((SECONDS + 3)) || end_process "${guest_pid[B]}"
    fi
    if ((${#reader_pids[@]})); then wait_for_readers; fi
    if [[ ! -s $exchange/guest/status.A ]]; then
        say "the guest died before its command ended"
        show_console A
        if ((hosts == 2)); then show_console B; fi
        exit 125
    fi
    local status
    status=$(<"$exchange/guest/status.A")
    if ((status == 125)); then show_console A; fi
    if [[ -s $exchange/guest/status.B ]] && [[ $(<"$exchange/guest/status.B") != 0 ]]; then
        say "host B's command ended with status $(<"$exchange/guest/status.B")"
    fi
    exit "$status"
}

# The readers end by themselves at the guest's end, unless that never opened the pipe.
wait_for_readers() {
    local deadline=$((SECONDS + 5)) pid
    for pid in "${reader_pids[@]}"; do
        while kill -0 "$pid" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.02; done
    done
}
