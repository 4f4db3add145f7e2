import type { Command } from 'commander'
import { UsageError } from '../../process/errors.ts'
import type { Terminal } from '../terminal.ts'

/** `completion bash`: the script that makes a shell ask us for completions. */
export function registerCompletion(program: Command, terminal: Terminal): void {
  const isPlugin = terminal.program === PLUGIN
  program
    .command('completion')
    .description('Print the script by which a shell completes the commands')
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText('after', HOW_TO_LOAD[isPlugin ? 'plugin' : 'program'])
    .action((shell: string) => {
      const scripts = isPlugin ? OF_PLUGIN : SCRIPTS
      const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
      if (script === undefined)
        throw new UsageError(`completion: expected one of ${SHELLS.join(', ')}, found '${shell}'`)
      terminal.stdout.write(script)
    })
}

const PLUGIN = 'kubectl dormouse'

const HOW_TO_LOAD = {
  plugin: `
To load it, behind kubectl's own completion, which asks it:
  bash  source <(kubectl completion bash)
        source <(kubectl dormouse completion bash)          in ~/.bashrc
  zsh   source <(kubectl completion zsh)
        source <(kubectl dormouse completion zsh)           in ~/.zshrc, after compinit
  fish  kubectl completion fish | source
        kubectl dormouse completion fish | source           in ~/.config/fish/config.fish`,
  program: `
To load it:
  bash  source <(dormouse completion bash)          in ~/.bashrc
  zsh   source <(dormouse completion zsh)           in ~/.zshrc
  fish  dormouse completion fish > ~/.config/fish/completions/dormouse.fish`,
}

/** kubectl completes a plugin by a program of this name on the PATH, whatever the shell. */
const POSIX = `if ! command -v kubectl_complete-dormouse >/dev/null 2>&1; then
  _dormouse_bin="\${XDG_DATA_HOME:-$HOME/.local/share}/kubectl-dormouse/bin"
  if [ ! -x "$_dormouse_bin/kubectl_complete-dormouse" ]; then
    mkdir -p "$_dormouse_bin"
    printf '%s\\n' '#!/bin/sh' 'exec kubectl dormouse __complete "$@"' >"$_dormouse_bin/kubectl_complete-dormouse"
    chmod +x "$_dormouse_bin/kubectl_complete-dormouse"
  fi
  export PATH="$PATH:$_dormouse_bin"
  unset _dormouse_bin
fi
`

/** Without kubectl's own completion nobody would ever ask ours. */
const warning = (load: string) =>
  `echo "kubectl dormouse: nothing is completed without kubectl's own completion: load it first: ${load}" >&2`

const OF_PLUGIN: Readonly<Record<string, string>> = {
  // bash-completion loads what packages bring only when it is asked for.
  bash: `${POSIX}if ! type __start_kubectl >/dev/null 2>&1 && ! { type __load_completion && __load_completion kubectl; } >/dev/null 2>&1; then
  ${warning('source <(kubectl completion bash)')}
fi
`,
  zsh: `${POSIX}if [[ -z \${_comps[kubectl]-} ]]; then
  ${warning('autoload -U compinit && compinit; source <(kubectl completion zsh)')}
fi
`,
  fish: `if not command -q kubectl_complete-dormouse
  set -q XDG_DATA_HOME; and set -l _data $XDG_DATA_HOME; or set -l _data ~/.local/share
  set -l _bin $_data/kubectl-dormouse/bin
  if not test -x $_bin/kubectl_complete-dormouse
    mkdir -p $_bin
    printf '%s\\n' '#!/bin/sh' 'exec kubectl dormouse __complete "$@"' >$_bin/kubectl_complete-dormouse
    chmod +x $_bin/kubectl_complete-dormouse
  end
  set -gx PATH $PATH $_bin
end
if not functions -q __kubectl_perform_completion; and not count $fish_complete_path/kubectl.fish* >/dev/null
  ${warning('kubectl completion fish | source')}
end
`,
}

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_dormouse() {
  local IFS=$'\\n' line
  COMPREPLY=()
  while read -r line; do
    case $line in :*) ;; *) COMPREPLY+=("\${line%%$'\\t'*}") ;; esac
  done < <(dormouse __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _dormouse dormouse
`,
  zsh: `#compdef dormouse
_dormouse() {
  local -a found
  local line
  while IFS= read -r line; do
    [[ $line == :* ]] || found+=("\${\${line//:/\\\\:}/$'\\t'/:}")
  done < <(dormouse __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe 'dormouse' found
}
compdef _dormouse dormouse
`,
  fish: `complete -c dormouse -f -a '(dormouse __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null | string match -v ":*")'
`,
}
const SHELLS = Object.keys(SCRIPTS)
