import { defineCommand, PROGRAM } from '../context.js'
import type { NamedCommand } from '../context.js'
import { EXIT } from '../exit-codes.js'
import { flagName } from '../flags.js'
import { pick, quote } from '../usage.js'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export const command = defineCommand({
  args: '<shell>',
  choices: SHELLS,
  flags: {},
  examples: `In the shell's startup file:
  bash  eval "$(gameserver-sidecar completion bash)"
  zsh   eval "$(gameserver-sidecar completion zsh)", after compinit
  fish  gameserver-sidecar completion fish | source`,
  async run({ args: [given = ''], context, commands }) {
    const shell = pick('script for the shell', given, SHELLS)
    context.print({ bash, zsh, fish }[shell](await commands()))
    return EXIT.DONE
  },
})

type Commands = readonly NamedCommand[]

/** The flags of a command, each with its long and short name. */
const flagsOf = ({ flags }: NamedCommand) =>
  Object.entries(flags).map(([key, { short, about, value, choices = [] }]) => {
    const names = [flagName(key), ...(short === undefined ? [] : [`-${short}`])]
    return { names, about, choices, takesValue: value !== undefined }
  })

/** The branches of a `case` over the command and the flag before the cursor. */
const valueBranches = (commands: Commands, complete: (choices: readonly string[]) => string): string =>
  commands
    .flatMap((command) =>
      flagsOf(command)
        .filter(({ takesValue }) => takesValue)
        .map(({ names, choices }) => {
          const patterns = names.map((name) => `"${command.name} ${name}"`).join('|')
          return `    ${patterns}) ${complete(choices)} ;;`
        }),
    )
    .join('\n')

function bash(commands: Commands): string {
  const complete = (words: readonly string[]): string => `COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current"))`
  // Commands that run another command, behind `--`.
  const runs = commands.filter(({ usage }) => usage?.includes(' -- ')).map(({ name }) => name)
  const branches = commands.map((command) => {
    const { name, choices } = command
    const first = choices === undefined ? ':' : `[ "$COMP_CWORD" -ne 2 ] || ${complete(choices)}`
    const names = flagsOf(command).flatMap((flag) => flag.names)
    return `    ${name}) case "$current" in -*) ${complete(names)} ;; *) ${first} ;; esac ;;`
  })
  return `_gameserver_sidecar() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} i
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    ${complete(commands.map(({ name }) => name))}
    return
  fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    [ "\${COMP_WORDS[i]}" = -- ] || continue
    case "$command" in
    ${runs.join('|')})
      if declare -F _command_offset >/dev/null; then _command_offset $((i + 1))
      elif [ "$COMP_CWORD" -eq $((i + 1)) ]; then COMPREPLY=($(compgen -c -- "$current")); fi ;;
    esac
    return
  done
  case "$command $previous" in
${valueBranches(commands, (choices) => (choices.length === 0 ? 'return' : `${complete(choices)}; return`))}
  esac
  case "$command" in
${branches.join('\n')}
  esac
}
complete -o default -F _gameserver_sidecar ${PROGRAM}`
}

function zsh(commands: Commands): string {
  const item = (name: string, about: string): string => quote(`${name.replaceAll(':', String.raw`\:`)}:${about}`)
  const offer = (choices: readonly string[]): string => `compadd -- ${choices.join(' ')}`
  const branches = commands.map((command) => {
    const { name, choices } = command
    const items = flagsOf(command).flatMap(({ names, about }) => names.map((one) => item(one, about)))
    const first = choices === undefined ? '_files' : `if (( CURRENT == 3 )); then ${offer(choices)}; fi`
    return `    ${name}) items=(${items.join(' ')}); if [[ $PREFIX == -* ]]; then _describe option items; else ${first}; fi ;;`
  })
  return `#compdef ${PROGRAM}
_gameserver_sidecar() {
  local command=\${words[2]} previous=\${words[CURRENT-1]}
  local -a items
  if (( CURRENT == 2 )); then
    items=(${commands.map(({ name, summary }) => item(name, summary)).join(' ')})
    _describe command items
    return
  fi
  if (( \${words[(I)--]} > 0 && \${words[(I)--]} < CURRENT )); then
    shift \${words[(I)--]} words
    (( CURRENT = \${#words} ))
    _normal
    return
  fi
  case "$command $previous" in
${valueBranches(commands, (choices) => (choices.length === 0 ? '_files; return' : `${offer(choices)}; return`))}
  esac
  case "$command" in
${branches.join('\n')}
  esac
}
if [[ $funcstack[1] == _gameserver_sidecar ]]; then _gameserver_sidecar "$@"; else compdef _gameserver_sidecar ${PROGRAM}; fi`
}

function fish(commands: Commands): string {
  const line = (condition: string, rest: string): string => `complete -c ${PROGRAM} -n ${quote(condition)} ${rest}`
  const lines = commands.flatMap((command) => {
    const { name, summary, choices } = command
    const isSeen = `__fish_seen_subcommand_from ${name}`
    const isFirst = `${isSeen}; and test (count (commandline -opc)) -eq 2`
    return [
      line('__fish_use_subcommand', `-f -a ${name} -d ${quote(summary)}`),
      ...(choices === undefined ? [] : [line(isFirst, `-f -a ${quote(choices.join(' '))}`)]),
      ...flagsOf(command).map(({ names, about, choices: values, takesValue }) => {
        const typed = names.map((one) => (one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`))
        const offered = values.length > 0 ? ` -x -a ${quote(values.join(' '))}` : ' -r'
        return line(isSeen, `${typed.join(' ')}${takesValue ? offered : ''} -d ${quote(about)}`)
      }),
    ]
  })
  return lines.join('\n')
}
