import type { Command } from 'commander'
import { UsageError } from '../../service/process/errors.ts'
import type { Terminal } from '../terminal.ts'

/** `completion bash`: the script that makes a shell ask us for completions. */
export function registerCompletion(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .description('Print the script by which a shell completes the commands')
    .argument('<shell>', SHELLS.join(', '))
    .addHelpText(
      'after',
      `
To load it:
  bash  source <(dormouse completion bash)          in ~/.bashrc
  zsh   source <(dormouse completion zsh)           in ~/.zshrc
  fish  dormouse completion fish > ~/.config/fish/completions/dormouse.fish

kubectl completes kubectl dormouse by itself where kubectl_complete-dormouse is on the PATH.`,
    )
    .action((shell: string) => {
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
      if (script === undefined)
        throw new UsageError(`completion: expected one of ${SHELLS.join(', ')}, found '${shell}'`)
      terminal.stdout.write(script)
    })
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
