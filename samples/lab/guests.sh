# shellcheck shell=bash disable=SC2154 # `lab` sets here, hosts, timeout, command, peer, share and image.
# Sourced by `lab`: starts QEMU, carries its output, waits for the end and cleans up.

# Starts host $1 (A or B) in the background; its pid is in qemu_pid[$1]. Further arguments go to QEMU.
declare -A qemu_pid=()
reader_pids=()
start_guest() {
    local host=$1 cpus
    shift
    cpus=${ACCEL_LAB_CPUS:-$(default_cpus)}
    # The tables of TCP connections are as small as their number here: whoever reads /proc/net/tcp walks all of them, which by the
    # size for so much memory costs an emulated processor 25 ms.
    local parameters="console=ttyS0 panic=-1 quiet mitigations=off tsc=reliable nokaslr thash_entries=512 uhash_entries=256"
    local arguments=(
        -accel "${ACCEL_LAB_ACCEL:-$(default_accelerator)}" -cpu max -smp "$cpus" -m "${ACCEL_LAB_MEMORY:-4096}"
        -nodefaults -no-user-config -display none -no-reboot
        -kernel "$image/vmlinuz" -initrd "$image/initrd"
        -append "$parameters dhash_entries=16384 ihash_entries=8192 lab.host=$host"
        -serial "file:$exchange/console.$host"
        -virtfs "local,path=/,mount_tag=host0,security_model=none,readonly=on,multidevs=remap"
        -virtfs "local,path=$exchange/guest,mount_tag=lab,security_model=none"
        -device virtio-serial
    )
    if [[ -n $share ]]; then
        arguments+=(-virtfs "local,path=${share//,/,,},mount_tag=share,security_model=none")
    fi
    if [[ -e $exchange/guest/command.$host ]]; then
        local name
        for name in out err; do
            mkfifo "$exchange/$name.$host"
            arguments+=(-chardev "file,id=$name,path=$exchange/$name.$host" -device "virtserialport,chardev=$name,name=$name")
        done
        if [[ $host == A ]]; then
            cat "$exchange/out.A" &
            reader_pids+=($!)
            cat "$exchange/err.A" >&2 &
            reader_pids+=($!)
        else
            for name in out err; do
                sed -u 's/^/B| /' "$exchange/$name.B" >&2 &
                reader_pids+=($!)
            done
        fi
        # Dies with this script, even when that is killed with -9.
        setpriv --pdeathsig KILL qemu-system-x86_64 "${arguments[@]}" "$@" </dev/null >"$exchange/qemu.$host" 2>&1 &
        qemu_pid[$host]=$!
    else
        arguments+=(-chardev "stdio,id=terminal,signal=off" -device "virtconsole,chardev=terminal")
        setpriv --pdeathsig KILL qemu-system-x86_64 "${arguments[@]}" "$@" <&0 2>"$exchange/qemu.$host" &
        qemu_pid[$host]=$!
    fi
}

# No more than the machine has, which would only have them wait for each other, but two: programs here come in pairs.
default_cpus() {
    local here most=$((hosts == 1 ? 4 : 2))
    here=$(nproc)
    printf '%s\n' $((here >= most ? most : here > 2 ? here : 2))
}

# A thread for each virtual processor only where the machine has processors for all of them. Otherwise one that holds a lock of the
# guest's kernel, or is sent an interrupt, is often not running, and the others spin for it: beside much other load the same 200
# connections and 3,000 round trips took 85 s of this machine's processors so, and 67 s on one thread, each boot included.
default_accelerator() {
    if (($(nproc) >= 4)); then echo tcg,thread=multi; else echo tcg,thread=single; fi
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

# Also reaps it, which is when bash would report it as killed.
end_process() {
    { kill -KILL "$1" && wait "$1"; } 2>/dev/null || true
}

# What a run left that was itself killed with -9.
remove_leftovers() {
    local left pid
    for left in "${TMPDIR:-/tmp}"/accel-lab.*.*; do
        pid=${left%.*}
        pid=${pid##*.}
        if [[ -O $left && ! -e /proc/$pid ]]; then rm -rf "$left"; fi
    done
}

clean_up() {
    local pid
    for pid in "${qemu_pid[@]}" "${reader_pids[@]}"; do end_process "$pid"; done
    rm -rf "$exchange"
}

is_running() { [[ -n ${qemu_pid[$1]-} ]] && kill -0 "${qemu_pid[$1]}" 2>/dev/null; }

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
        cat "$exchange/qemu.$1"
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
    cp "$here/guest" "$exchange/guest/guest"
    pwd -P >"$exchange/guest/directory"
    printf '%s' "$share" >"$exchange/guest/share"
    write_environment >"$exchange/guest/environment"
    if ((${#command[@]})); then quoted "${command[@]}" >"$exchange/guest/command.A"; fi

    if ((hosts == 1)); then
        start_guest A
    else
        printf '%s\n' "${peer:-sleep 1000000}" >"$exchange/guest/command.B"
        # A Unix-domain socket as the cable: no port to choose, nothing anybody else could reach.
        local cable=$exchange/cable
        start_guest A -netdev "stream,id=n,server=on,addr.type=unix,addr.path=$cable" \
            -device virtio-net-pci,netdev=n,mac=52:54:00:78:00:01
        until [[ -S $cable ]]; do
            is_running A || break
            sleep 0.05
        done
        start_guest B -netdev "stream,id=n,server=off,addr.type=unix,addr.path=$cable" \
            -device virtio-net-pci,netdev=n,mac=52:54:00:78:00:02
    fi

    if ! await A $((started + timeout)); then
        say "timed out after $timeout s"
        show_console A
        exit 124
    fi
    if ((hosts == 2)); then
        # A server that ends by itself may still say its last words.
        await B $((SECONDS + 3)) || end_process "${qemu_pid[B]}"
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

# The readers end by themselves at QEMU's end, unless QEMU never opened the pipe.
wait_for_readers() {
    local deadline=$((SECONDS + 5)) pid
    for pid in "${reader_pids[@]}"; do
        while kill -0 "$pid" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.02; done
    done
}
