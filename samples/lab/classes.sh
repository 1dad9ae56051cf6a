# shellcheck shell=bash disable=SC2154 # `junit` and `suites` set root; prepare.sh sets cache.
# Sourced by `junit` and `suites`: the class path of a module's tests, and an archive of the classes in its jars (CDS). A JVM spends most of
# its start on reading and verifying classes, which takes seconds.

# Prints the class path of module $1's tests, which it compiles where they are not up to date.
class_path() {
    class_paths "$1" || return 2
    cat "$(class_path_file "$1")"
}

class_path_file() { printf '%s\n' "$root/$1/target/lab-class-path"; }

# Writes the class path of the tests of each module $1... that has none which is up to date, in one run of Maven for all of them, and one
# run of the lab at a time: another must not find a file that is just being written.
class_paths() {
    [[ -n $(outdated "$@") ]] || return 0
    mkdir -p "$root/target"
    (
        flock -w 900 9 || exit 1
        mapfile -t modules < <(outdated "$@")
        ((${#modules[@]} == 0)) || make_class_paths "${modules[@]}"
    ) 9>"$root/target/lab-class-path.lock" || return 2
}

# Prints those of the modules whose class path does not hold any more. Maven's answer holds until a source or a pom changes, or
# something that it names is gone.
outdated() {
    local module
    for module in "$@"; do is_current "$(class_path_file "$module")" || printf '%s\n' "$module"; done
}

# Jars come before directories: the archive covers the entries at the beginning of a class path, and may have no directory among them.
make_class_paths() {
    local module path directories touch_time
    touch_time=$(mktemp)
    # Maven takes the file's name as one in each module. LAB_MAVEN is an option for it.
    # shellcheck disable=SC2086
    (cd "$root" && timeout --foreground 900 mvn -B -ntp -q ${LAB_MAVEN-} -T "$(nproc)" -pl "$(IFS=, && echo "$*")" -am test-compile dependency:build-classpath \
        -DexcludeArtifactIds=accel-rdma-libraries -Dmdep.outputFile=target/lab-class-path.new >&2) || { rm -f "$touch_time" && return 2; }
    for module in "$@"; do
        path=$(class_path_file "$module")
        directories=$root/$module/target/test-classes
        # A module may consist of tests.
        [[ ! -d $root/$module/target/classes ]] || directories+=:$root/$module/target/classes
        printf '%s:%s\n' "$(jars "$path.new")" "$directories" >"$path"
        jars -v "$path.new" | sed 's/^./:&/' >>"$path"
        printf '%s' "$(tr -d '\n' <"$path")" >"$path.new"
        mv "$path.new" "$path"
        touch -r "$touch_time" "$path" # What was edited meanwhile counts as newer.
    done
    rm "$touch_time"
}

is_current() {
    [[ -s $1 && -z $(find "$root"/pom.xml "$root"/*/pom.xml "$root"/*/src "$root"/*/*/pom.xml "$root"/*/*/src -newer "$1" -print -quit) ]] || return 1
    local entry
    while IFS= read -r entry; do [[ -e $entry ]] || return 1; done < <(tr : '\n' <"$1")
}

# Prints the entries of the class path in file $1 that are jars, joined by colons; with -v before it, those that are not.
jars() {
    local options=()
    [[ $1 != -v ]] || { options=(-v) && shift; }
    tr : '\n' <"$1" | grep "${options[@]}" '\.jar$' | paste -sd : || true
}

# Prints the file with the archived classes of the JDK and of the jars of the class path $1, made on first use and kept beside
# the boot image; nothing if it cannot be made, which only costs time.
class_archive() {
    local jars key archive
    jars=$(jars <(printf '%s\n' "$1"))
    # The JVM checks the same of an archive: its own version, and each jar's name, size and time.
    key=$({ java -version 2>&1 && tr : '\n' <<<"$jars" | xargs -d '\n' stat -c '%n %s %Y'; } | sha256sum | cut -c1-12)
    archive=$cache/classes-$key.jsa
    if [[ ! -e $archive ]]; then
        mkdir -p "$cache"
        (
            flock -w 900 9 || exit 1
            [[ -e $archive ]] || make_archive "$jars" "$archive"
        ) 9>"$cache/classes.lock" || { say "no archive of classes, so JVMs start slowly" && return; }
    fi
    touch -a "$archive"
    printf '%s\n' "$archive"
}

make_archive() {
    local list=$2.list.$$ new=$2.new.$$ home jar
    say "archiving the classes of the tests' libraries"
    find "$cache" -maxdepth 1 -name 'classes-*.jsa*' -atime +30 -delete
    home=$(java -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p')
    {
        cat "$home/lib/classlist"
        while IFS= read -r jar; do "$home/bin/jar" tf "$jar"; done < <(tr : '\n' <<<"$1") |
            sed -nE '/^META-INF|module-info/d; s/\.class$//p'
    } >"$list"
    # G1, whose archives hold objects, too; the JVMs that use them may have any collector. Classes that cannot be linked are left out.
    java -XX:+UseG1GC -Xshare:dump -XX:SharedClassListFile="$list" -XX:SharedArchiveFile="$new" -cp "$1" >"$list.log" 2>&1 || {
        tail -n 5 "$list.log" >&2
        rm -f "$list" "$list.log" "$new"
        return 1
    }
    rm -f "$list" "$list.log"
    mv "$new" "$2"
}
