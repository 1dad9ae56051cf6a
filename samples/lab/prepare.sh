# shellcheck shell=bash
# Sourced by `lab`: gets the RDMA programs, and the guest's kernel, which is made once.
# Everything made is kept under ACCEL_LAB_CACHE and appears there by one rename, so an interrupted preparation
# leaves nothing half done; a lock keeps two preparations apart.

# shellcheck source=kernel.sh
. "$here/kernel.sh"

cache=${ACCEL_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/accel-lab}

# command-or-file=package that has it
lab_needs=(
    /bin/busybox=busybox-static
    perl=perl-base
    pkill=procps
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

# Where the lab cannot be: a message nobody overlooks, and exit status 3.
no_lab() {
    {
        printf '\n******** THE RDMA LAB IS NOT AVAILABLE ********\n'
        printf '%s\n' "$@"
        printf '***********************************************\n\n'
    } >&2
    exit 3
}

# shellcheck disable=SC2120 # Arguments are for callers that need more than the lab itself.
# Prints the directory that holds `linux`, the kernel, and its `modules`, made on first use; arguments as install_packages.
prepare_image() {
    [[ $(uname -sm) == 'Linux x86_64' ]] || no_lab "It needs Linux on x86_64; this is $(uname -sm)."
    install_packages "${lab_needs[@]}" "$@"
    local recipe image
    recipe=$(cat "$here/kernel.sh" "$here/kernel.config" | sha256sum | cut -c1-12)
    image=$cache/kernel-$recipe
    if [[ ! -e $image/linux ]]; then
        mkdir -p "$cache" || no_lab "Cannot create its cache, $cache; ACCEL_LAB_CACHE names another place."
        (
            if ! flock -n 9; then
                say "another preparation is under way; waiting for it, an hour at most"
                flock -w 3600 9 || no_lab "Another preparation has held $cache/lock for an hour."
            fi
            if [[ ! -e $image/linux ]]; then
                rm -rf "$cache"/making.* # what one left that was killed
                make_image "$image"
            fi
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

# Installs the packages that the needs (like those above) name, as far as they are not met.
install_packages() {
    local need missing=()
    for need in "$@"; do
        is_there "${need%%=*}" || missing+=("${need#*=}")
    done
    if ((${#missing[@]} == 0)); then return; fi
    local advice="Install these and try again: apt-get update && apt-get install --no-install-recommends ${missing[*]}"
    command -v apt-get >/dev/null || no_lab "Missing (Debian's names): ${missing[*]}" "There is no apt-get here to get them with."
    may_install || no_lab "Missing: ${missing[*]}" "$advice"
    is_agreed "${missing[@]}" || no_lab "Missing: ${missing[*]}" "'./accel lab --install' installs them." "$advice"
    say "installing ${missing[*]}"
    apt_get install -y -q --no-install-recommends "${missing[@]}" ||
        { apt_get update -q && apt_get install -y -q --no-install-recommends "${missing[@]}"; } ||
        no_lab "apt-get could not install: ${missing[*]}" "$advice"
}

# Whether the packages may be added to this machine: --install and the tests say so by LAB_INSTALL; on a terminal somebody is asked.
is_agreed() {
    if [[ -n ${LAB_INSTALL-} ]]; then return; fi
    [[ -t 0 && -t 2 ]] || return 1
    local answer
    read -r -p "lab: it takes the packages $*; install them now? [y/N] " answer
    [[ $answer == [yY]* ]]
}

may_install() { [[ $(id -u) == 0 ]] || sudo -n true 2>/dev/null; }

apt_get() {
    local as_root=()
    [[ $(id -u) == 0 ]] || as_root=(sudo -n)
    # In the foreground: a terminal stops background processes that change its settings.
    timeout --foreground 600 "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o APT::Sandbox::User=root \
        -o Dpkg::Use-Pty=0 "$@" >&2 </dev/null
}
