import { namedKeys, plainKeys } from './added-settings.ts';

/** Patterns of `case` for what a command may add. */
const patterns = [
  ...plainKeys,
  ...Object.entries(namedKeys).flatMap(([section, keys]) => keys.map((key) => `${section}.?*.${key}`)),
].join('|');

/**
 * Runs inside in place of git. Each folder in `DRAWBRIDGE_GIT_SETTINGS` is a repository for git, with the
 * settings that the command adds to the one that `repository` leads to. It guards nothing.
 */
export const settingsProgram = `#!/bin/sh
git=$DRAWBRIDGE_GIT
sub= skip=
for one in "$@"; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case $one in
    -C | -c) skip=1 ;;
    -p | -P | --no-pager) ;;
    *) sub=$one; break ;;
  esac
done
case $sub in
  config | remote | branch | push | checkout | switch | submodule | worktree) ;;
  *) exec "$git" "$@" ;;
esac
while :; do
  case $1 in
    -C) cd -- "$2" 2> /dev/null || exec "$git" "$@"; shift 2 ;;
    -c)
      at=\${GIT_CONFIG_COUNT:-0}
      export "GIT_CONFIG_KEY_$at=\${2%%=*}" "GIT_CONFIG_VALUE_$at=\${2#*=}" "GIT_CONFIG_COUNT=$((at + 1))"
      shift 2 ;;
    -p | -P | --no-pager) shift ;;
    *) break ;;
  esac
done
shift
real() { exec "$git" "$sub" "$@"; }
dir=$("$git" rev-parse --git-common-dir 2> /dev/null) || real "$@"
place=
for one in "$DRAWBRIDGE_GIT_SETTINGS"/[0-9]*; do
  [ "$one/repository" -ef "$dir" ] && place=$one
done
[ -n "$place" ] || real "$@"
config=$place/repository/config
top=$("$git" rev-parse --show-toplevel 2> /dev/null)
own() { GIT_DIR=$place GIT_WORK_TREE=$top "$git" -c "include.path=$config" "$@"; }
heads() { "$git" for-each-ref --format='%(refname)' refs/heads; }
current() { "$git" symbolic-ref --quiet --short HEAD; }
# What new branches were made from, they follow.
follow_new() {
  for one in $(heads); do
    case " $(printf '%s ' $before)" in *" $one "*) continue ;; esac
    start=$("$git" log -g --format=%gs "$one" -- 2> /dev/null | tail -n 1)
    case $start in 'branch: Created from '*) start=\${start#branch: Created from } ;; *) continue ;; esac
    case $("$git" rev-parse --symbolic-full-name "$start" 2> /dev/null) in
      refs/remotes/*) own branch --set-upstream-to="$start" "\${one#refs/heads/}" ;;
      refs/heads/*) [ -z "$tracks" ] || own branch --set-upstream-to="$start" "\${one#refs/heads/}" ;;
    esac
  done
}
case $sub in
  config)
    key= count=0
    for one; do
      case $one in
        --local | --add | --bool | --int | --type=*) ;;
        set) [ $count = 0 ] || count=$((count + 1)) ;;
        -*) real "$@" ;;
        *) count=$((count + 1)); [ -n "$key" ] || key=$one ;;
      esac
    done
    case $(printf %s "$key" | tr A-Z a-z) in
      ${patterns}) ;;
      *) real "$@" ;;
    esac
    [ $count = 2 ] && ! "$git" config --file "$config" --get-all "$key" > /dev/null || real "$@"
    own config "$@" ;;
  remote)
    case $1 in
      add) for one; do case $one in -f | --fetch | --mirror*) real "$@" ;; esac; done ;;
      get-url | set-url | set-branches | rename | remove | rm)
        # git wants these in the settings of the repository itself.
        known=
        for one; do "$git" config --file "$place/config" "remote.$one.url" > /dev/null && known=1; done
        [ -n "$known" ] || real "$@" ;;
      *) real "$@" ;;
    esac
    own remote "$@" ;;
  branch | checkout | switch)
    follow= tracks= name= first=
    for one; do
      flags=\${one%%[bBcC]*}
      case $one in
        --set-upstream-to | --set-upstream-to=*) follow=1 ;;
        --track | --track=direct) tracks=1 ;;
        --no-track | --track=* | --orphan | --move | --copy | --delete | --edit-description | --unset-upstream)
          real "$@" ;;
        --) break ;;
        --*) ;;
        -*)
          [ "$flags" = "$one" ] || name=1
          case $sub$flags in *-*t*) tracks=1 ;; esac
          case $sub$one in branch-*u*) follow=1 ;; branch-*[mMcCdD]*) real "$@" ;; esac ;;
        *) first=\${first:-$one} ;;
      esac
    done
    if [ -n "$follow" ]; then
      own symbolic-ref HEAD "$("$git" symbolic-ref --quiet HEAD)" 2> /dev/null
      own branch "$@"
      exit
    fi
    [ "$("$git" config branch.autosetupmerge)" = false ] && [ -z "$tracks" ] && real "$@"
    before=$(heads)
    if [ -n "$tracks" ]; then
      for one; do
        shift
        flags=\${one%%[bBcC]*}
        case $one in
          --track | --track=direct) continue ;;
          --*) ;;
          -*) case $flags in *t*) one=\${flags%%t*}\${flags#*t}\${one#"$flags"} ;; esac ;;
        esac
        [ "$one" = - ] || set -- "$@" "$one"
      done
      if [ "$sub" != branch ] && [ -z "$name" ]; then
        start=\${first#refs/}
        start=\${start#remotes/}
        case $sub in checkout) set -- -b "\${start#*/}" "$@" ;; *) set -- -c "\${start#*/}" "$@" ;; esac
      fi
    fi
    "$git" -c branch.autoSetupMerge=false "$sub" "$@" || exit
    follow_new
    exit 0 ;;
  push)
    sets= quiet= remote= refs=
    for one; do
      case $one in
        --set-upstream) sets=1 ;;
        --quiet) quiet=-q ;;
        --dry-run | --push-option | --repo* | --receive-pack | --exec | --all | --mirror | --tags) real "$@" ;;
        --*) ;;
        -*)
          case $one in *[no]*) real "$@" ;; esac
          case $one in *u*) sets=1 ;; esac
          case $one in *q*) quiet=-q ;; esac ;;
        *) if [ -z "$remote" ]; then remote=$one; else refs="$refs $one"; fi ;;
      esac
    done
    [ -n "$sets" ] && [ -n "$remote" ] || real "$@"
    for one; do
      shift
      case $one in
        --set-upstream) continue ;;
        --*) ;;
        -*u*) one=\${one%%u*}\${one#*u} ;;
      esac
      [ "$one" = - ] || set -- "$@" "$one"
    done
    [ -n "$refs" ] || set -- "$@" "$(current)"
    "$git" push "$@" || exit
    for one in \${refs:-$(current)}; do
      one=\${one#+}; from=\${one%%:*}; to=\${one#*:}
      [ "$from" = HEAD ] && from=$(current)
      [ "$to" = HEAD ] && to=$from
      own branch $quiet --set-upstream-to="$remote/\${to#refs/heads/}" "\${from#refs/heads/}"
    done
    exit 0 ;;
  worktree)
    for one; do case $one in --track) real "$@" ;; esac; done
    [ "$1" = add ] && [ "$("$git" config branch.autosetupmerge)" != false ] || real "$@"
    tracks= before=$(heads)
    "$git" -c branch.autoSetupMerge=false worktree "$@" || exit
    follow_new
    exit 0 ;;
  submodule)
    for one; do
      case $one in -*) continue ;; add) ;; *) break ;; esac
      echo "fatal: a command cannot add a submodule: programs of the user obey .gitmodules, which it cannot write." >&2
      echo "Ask the user to run: git submodule $*" >&2
      exit 128
    done
    case " $* " in
      *' init '* | *' --init '*)
        words=
        for one; do
          case $one in -* | init | update | *[!0-9]*) ;; *) continue ;; esac
          case $one in -* | init | update) ;; *) words="$words $one" ;; esac
        done
        own submodule --quiet init -- $words > /dev/null ;;
    esac
    real "$@" ;;
esac
`;
