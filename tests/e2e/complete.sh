#!/bin/bash
# complete.sh SHELL PERFT: for each command line on standard input, prints how a shell completes it at the end of the
# line. For bash and fish, prints the line, "->", and the offers. For zsh, prints the completed line.
set -u
shell=$1 perft=$2
home=$(mktemp -d) || exit 1
trap 'rm -rf "$home"' EXIT
mkdir "$home/bin" "$home/work"
ln -s "$perft" "$home/bin/perft"
: >"$home/work/clear.epd"
mkdir "$home/work/clouds"
export HOME=$home PATH=$home/bin:$PATH TERM=dumb
unset XDG_CONFIG_HOME XDG_DATA_HOME ZDOTDIR
cd "$home/work" || exit 1

case $shell in
  bash)
    # shellcheck disable=SC2016
    bash --norc --noprofile -c '
      source <(perft completion bash)
      set -f
      while IFS= read -r line; do
        # Split the line as readline does: "=" is a separate word.
        read -ra COMP_WORDS <<<"${line//=/ = }"
        [[ $line == *[\ ] ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
        _perft perft "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf "%s->%s\n" "$line" "$(printf " %s" "${COMPREPLY[@]}")"
      done'
    ;;
  fish)
    # shellcheck disable=SC2016
    fish --no-config -c '
      perft completion fish | source
      while read line
        set -l offers (complete -C "$line" | string replace -r "\t.*" "")
        echo "$line->" (string join -- " " $offers)
      end'
    ;;
  zsh)
    # Use a real terminal: type the line, complete it, and press another key that writes the line to a file.
    # shellcheck disable=SC2016
    OUT=$home/lines zsh -f -c '
      zmodload zsh/zpty
      zpty edit zsh -f -i
      : >$OUT
      zpty -w edit "PROMPT=; unsetopt beep list_beep auto_list auto_menu"
      zpty -w edit "autoload -Uz compinit; compinit -u -D; source <(perft completion zsh)"
      zpty -w edit "write-down() { print -r -- \$BUFFER >>$OUT; BUFFER=; }; zle -N write-down"
      zpty -w edit "bindkey \"^G\" write-down; bindkey \"^I\" complete-word; print ready >>$OUT"
      integer written=1
      wait-for-lines() {
        repeat 12000; do  # ten minutes
          while zpty -rt edit unused; do :; done
          (( ${#${(f)"$(<$OUT)"}} >= written )) && return
          sleep 0.05
        done
        exit 1
      }
      wait-for-lines
      while IFS= read -r line; do
        zpty -wn edit "$line"$'"'\t\x07'"'
        (( ++written ))
        wait-for-lines
      done
      zpty -d edit
      tail -n +2 $OUT'
    ;;
esac
