# shellcheck shell=bash disable=SC2154 # prepare.sh, which sources this, sets cache; `here` is this directory.
# The guest's kernel: User-mode Linux, made of the distribution's source by kernel.config.

# command-or-file=package that has it, to make the kernel with
kernel_needs=(gcc=gcc make=make flex=flex bison=bison bc=bc xz=xz-utils /usr/include/stdio.h=libc6-dev)

# Loaded at boot, in this order.
lab_modules=(rdma_rxe ib_uverbs rdma_ucm)

make_image() {
    local image=$1
    install_packages "${kernel_needs[@]}"
    # Not local, for the trap's sake: it runs at the subshell's end and takes the directory away, whatever happens.
    work=$(mktemp -d "$cache/making.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 143' INT TERM
    unpack_source "$work"
    say "making the guest's kernel, once: it takes some minutes (log: $cache/kernel.log)"
    make_kernel "$work/source" "$work/image" 2>&1 | note_progress "$cache/kernel.log" || {
        tail -n 20 "$cache/kernel.log" >&2
        no_lab "The kernel could not be made; the log is $cache/kernel.log."
    }
    rm -rf "$image"
    mv "$work/image" "$image"
}

# Copies the output of the kernel's build to file $1, and says from time to time how far the build is.
progress_every=15
note_progress() {
    local line compiled=0 next=$((SECONDS + progress_every))
    while IFS= read -r line; do
        printf '%s\n' "$line"
        if [[ $line == '  CC '* ]]; then compiled=$((compiled + 1)); fi
        if ((SECONDS >= next)); then
            say "compiled $compiled files"
            next=$((SECONDS + progress_every))
        fi
    done >"$1"
}

# The distribution's kernel source.
unpack_source() {
    local work=$1 package
    package=$(source_package)
    if [[ -z $package ]] && may_install; then
        apt_get update -q || true
        package=$(source_package)
    fi
    [[ -n $package ]] || no_lab "apt knows no linux-source; run apt-get update."
    say "downloading $package"
    # Downloading takes no rights.
    (cd "$work" && timeout 600 apt-get -o APT::Sandbox::User=root download -q "$package" >&2) || no_lab "apt-get could not download $package."
    mkdir "$work/source"
    dpkg --fsys-tarfile "$work"/linux-source-*.deb | tar -xO --wildcards './usr/src/*.tar.xz' \
        | tar -xJ -C "$work/source" --strip-components=1 || no_lab "$package could not be unpacked."
    rm "$work"/linux-source-*.deb
}

source_package() {
    apt-cache depends linux-source 2>/dev/null | sed -n 's/^ *Depends: *\(linux-source-[0-9].*\)$/\1/p' | head -n 1
}

# Makes User-mode Linux out of the source in directory $1: `linux` and `modules` in directory $2.
make_kernel() {
    local image=$2 module
    mkdir "$image" "$image/modules"
    cd "$1" || return
    # This Linux has 2,696 bytes for a processor's registers of floating point; one with AMX has 11,008, and the host takes none or all.
    sed -i 's/\(HOST_FP_SIZE, \)2696/\111264/' arch/x86/um/user-offsets.c
    # The guest's processes must not outlive the guest, or the host would carry out their next steps.
    sed -i 's/PTRACE_O_TRACESYSGOOD)/(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))/' arch/um/os-Linux/skas/process.c
    grep -q 'HOST_FP_SIZE, 11264' arch/x86/um/user-offsets.c && grep -q PTRACE_O_EXITKILL arch/um/os-Linux/skas/process.c || return
    keep_loaded_registers arch/um/os-Linux/skas/process.c || return
    keep_count_of_queue arch/um/drivers/vector_kern.c || return
    make -s ARCH=um KCONFIG_ALLCONFIG="$here/kernel.config" allnoconfig || return
    nice make ARCH=um "-j$(nproc)" linux modules || return
    strip -o "$image/linux" linux
    make_order | while read -r module; do
        strip --strip-debug -o "$image/modules/$(basename "$module")" "$module"
        basename "$module"
    done >"$image/modules/order"
}

# Lets the guest's kernel, in its file $1, give a thread its registers of floating point only where the process that runs it has
# others: another thread ran there, or a signal's handler returned, which restores them from memory. To set them is a quarter of what
# a system call costs, since the host's kernel maps and unmaps memory for them each time.
keep_loaded_registers() {
    sed -i -e '/^void userspace(/i static int loaded_pid;\nstatic unsigned long *loaded_fp;\n' \
        -e '/^void userspace(/,/^}/ {
            s/if (put_fp_registers(pid, regs->fp))/if ((pid != loaded_pid || regs->fp != loaded_fp) \&\& put_fp_registers(pid, regs->fp))/
            s/UPT_SYSCALL_NR(regs) = -1; .*/loaded_pid = pid;\n\t\tloaded_fp = regs->fp;\n\t\t&/
            s/handle_trap(pid, regs, local_using_sysemu);/&\n\t\t\t\tif (UPT_SYSCALL_NR(regs) == -1)\n\t\t\t\t\tloaded_fp = NULL;/
        }' "$1"
    [[ $(grep -c 'loaded_fp' "$1") == 4 && $(grep -c 'loaded_pid' "$1") == 3 ]]
}

# Has the driver of the cable, in file $1, count on where a packet could not be sent for half a second, as happens where the host does not
# run the other guest for so long. It forgets how many bytes it has queued then, but not the packets, and the kernel panics when
# more of them have been sent than it knows of.
keep_count_of_queue() {
    sed -i '/^static void vector_reset_tx(/,/^}/ { /netdev_reset_queue(vp->dev);/d }' "$1"
    grep -q '^static void vector_reset_tx(' "$1" && ! grep -q netdev_reset_queue "$1"
}

# Prints the modules of the source here in the order in which they have to be loaded: each after those that it uses.
make_order() {
    local file
    declare -A file_of=() seen=()
    while read -r file; do file_of[$(basename "$file" .ko | tr - _)]=$file; done < <(find . -name '*.ko')
    print_after() {
        local used
        [[ -z ${seen[$1]-} ]] || return 0
        seen[$1]=yes
        for used in $(modinfo_depends "${file_of[$1]}"); do print_after "${used//-/_}"; done
        printf '%s\n' "${file_of[$1]}"
    }
    local module
    for module in "${lab_modules[@]}"; do print_after "$module"; done
}

# Prints the modules that the module in file $1 uses.
modinfo_depends() { tr '\0' '\n' <"$1" | sed -n 's/^depends=//p' | tr , ' '; }
