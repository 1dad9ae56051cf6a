# shellcheck shell=bash
# Sourced by `lab`: gets QEMU and the RDMA programs, and makes the kernel and the boot image, once.
# Everything made is kept under ACCEL_LAB_CACHE and appears there by one rename, so an interrupted preparation
# leaves nothing half done; a lock keeps two preparations apart.

cache=${ACCEL_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/accel-lab}

# command-or-file=package that has it
lab_needs=(
    qemu-system-x86_64=qemu-system-x86
    /bin/busybox=busybox-static
    depmod=kmod
    cpio=cpio
    flock=util-linux
    setpriv=util-linux
    ip=iproute2
    rdma=iproute2
    tc=iproute2
    ibv_devinfo=ibverbs-utils
    rping=rdmacm-utils
    ib_write_lat=perftest
    /usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav*.so=ibverbs-providers
    /usr/lib/x86_64-linux-gnu/librdmacm.so.1=librdmacm1
    /usr/lib/udev/rules.d/*rdma-persistent-naming.rules=rdma-core
)

# Loaded at boot, in this order. crc32_generic: rxe asks for it by its algorithm's name, which depmod cannot see.
lab_modules=(virtio_pci virtio_console virtio_net 9pnet_virtio 9p overlay crc32_generic crc32c_generic
    veth rdma_rxe ib_uverbs rdma_ucm)
# In the guest's /lib/modules for whoever asks: packet loss, reordering, filters.
lab_spare_modules=(sch_netem sch_prio cls_u32 act_gact dummy)

# Where the lab cannot be: a message nobody overlooks, and exit status 3.
no_lab() {
    {
        printf '\n******** THE RDMA LAB IS NOT AVAILABLE ********\n'
        printf '%s\n' "$@"
        printf '***********************************************\n\n'
    } >&2
    exit 3
}

# shellcheck disable=SC2120 # Arguments are for who needs more than the lab itself.
# Prints the directory that holds `vmlinuz`, `initrd` and `kernel-version`, made on first use; arguments as install_packages.
prepare_image() {
    [[ $(uname -sm) == 'Linux x86_64' ]] || no_lab "It needs Linux on x86_64; this is $(uname -sm)."
    install_packages "$@"
    local recipe image
    recipe=$(cat "$here/prepare.sh" "$here/init" | sha256sum | cut -c1-12)
    image=$cache/image-$recipe
    if [[ ! -e $image/initrd ]]; then
        mkdir -p "$cache" || no_lab "Cannot create its cache, $cache; ACCEL_LAB_CACHE names another place."
        (
            flock -w 900 9 || no_lab "Another preparation has held $cache/lock for 15 minutes."
            [[ -e $image/initrd ]] || make_image "$image"
        ) 9>"$cache/lock" >&2 || exit
    fi
    printf '%s\n' "$image"
}

# A path may be a pattern.
is_there() {
    case $1 in
        /*) compgen -G "$1" >/dev/null ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

# What the lab needs, and further needs (like those above) that the arguments name.
install_packages() {
    local need missing=()
    for need in "${lab_needs[@]}" "$@"; do
        is_there "${need%%=*}" || missing+=("${need#*=}")
    done
    if ((${#missing[@]} == 0)); then return; fi
    local advice="Install these and try again: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    command -v apt-get >/dev/null || no_lab "Missing (Debian's names): ${missing[*]}" "There is no apt-get here to get them with."
    may_install || no_lab "Missing: ${missing[*]}" "$advice"
    say "installing ${missing[*]}"
    apt_get install -y -q --no-install-recommends "${missing[@]}" ||
        { apt_get update -q && apt_get install -y -q --no-install-recommends "${missing[@]}"; } ||
        no_lab "apt-get could not install: ${missing[*]}" "$advice"
}

may_install() { [[ $(id -u) == 0 ]] || sudo -n true 2>/dev/null; }

apt_get() {
    local as_root=()
    [[ $(id -u) == 0 ]] || as_root=(sudo -n)
    timeout 600 "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o APT::Sandbox::User=root "$@" >&2
}

make_image() {
    local image=$1
    # Not local, for the trap's sake: it runs at the subshell's end and takes the directory away, whatever happens.
    work=$(mktemp -d "$cache/making.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 143' INT TERM
    local tree
    tree=$(unpack_kernel "$work") || exit
    local version
    version=$(basename "$tree"/lib/modules/*)
    say "making the boot image (Linux $version)"
    make_initrd "$tree" "$version" "$work/root" "$work/image"
    cp "$tree/boot/vmlinuz-$version" "$work/image/vmlinuz"
    printf '%s\n' "$version" >"$work/image/kernel-version"
    rm -rf "$image"
    mv "$work/image" "$image"
}

# The distribution's stock kernel, unpacked and not installed. The `cloud` flavour would lack rxe and 9p.
unpack_kernel() {
    local work=$1 kept package
    kept=$cache/kernel
    if [[ ! -d $kept ]]; then
        package=$(kernel_package)
        if [[ -z $package ]] && may_install; then
            apt_get update -q || true
            package=$(kernel_package)
        fi
        [[ -n $package ]] || no_lab "apt knows no linux-image-amd64; run apt-get update."
        say "downloading $package"
        # Downloading takes no rights.
        (cd "$work" && timeout 600 apt-get -o APT::Sandbox::User=root download -q "$package" >&2) || no_lab "apt-get could not download $package."
        dpkg -x "$work"/linux-image-*.deb "$work/kernel" || no_lab "dpkg could not unpack $package."
        mv "$work/kernel" "$kept"
    fi
    printf '%s\n' "$kept"
}

kernel_package() {
    apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/^ *Depends: *\(linux-image-[0-9].*\)$/\1/p' | head -n 1
}

make_initrd() {
    local tree=$1 version=$2 root=$3 image=$4 module file
    mkdir -p "$root"/{bin,dev,proc,sys,host,rw,new,lib} "$image"
    cp /bin/busybox "$root/bin/busybox"
    cp "$here/init" "$root/init"
    chmod 755 "$root/init"
    [[ -e $tree/lib/modules/$version/modules.dep ]] || depmod -b "$tree" "$version"
    for module in "${lab_modules[@]}" "${lab_spare_modules[@]}"; do
        modprobe -S "$version" -d "$tree" --show-depends "$module" >"$root/depends" ||
            no_lab "The kernel $version lacks the module $module."
        while read -r kind file _; do
            [[ $kind == insmod ]] || continue
            file=${file#"$tree"}
            file=${file#/}
            mkdir -p "$root/$(dirname "$file")"
            cp "$tree/$file" "$root/$file"
            case $file in
                *.xz) xz -df "$root/$file" && file=${file%.xz} ;;
                *.zst) zstd -dqf --rm "$root/$file" && file=${file%.zst} ;;
            esac
            if [[ " ${lab_modules[*]} " == *" $module "* ]]; then
                grep -qxF "/$file" "$root/modules" 2>/dev/null || printf '/%s\n' "$file" >>"$root/modules"
            fi
        done <"$root/depends"
    done
    rm "$root/depends"
    cp "$tree/lib/modules/$version"/modules.{builtin,builtin.modinfo,order} "$root/lib/modules/$version/"
    depmod -b "$root" "$version"
    (cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet) | gzip -1 >"$image/initrd"
}
