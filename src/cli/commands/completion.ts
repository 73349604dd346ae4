import { defineCommand, PROGRAM } from '../context.js'
import type { NamedCommand } from '../context.js'
import { EXIT } from '../exit-codes.js'
import { flagName } from '../flags.js'
import { pick } from '../usage.js'

const SHELLS = ['bash', 'zsh', 'fish'] as const

export const completionCommand = defineCommand({
  args: '<shell>',
  choices: SHELLS,
  flags: {},
  examples: `In the shell's startup file:
  bash  eval "$(gameserver-sidecar completion bash)"
  zsh   eval "$(gameserver-sidecar completion zsh)", after compinit
  fish  gameserver-sidecar completion fish | source`,
  async run({ args: [given = ''], context, commands }) {
    context.print(completionScript(pick('script for the shell', given, SHELLS), await commands()))
    return EXIT.DONE
  },
})

interface Option {
  readonly names: readonly string[]
  readonly about: string
  readonly takesValue: boolean
  readonly choices: readonly string[]
}

interface Subcommand {
  readonly name: string
  readonly about: string
  readonly flags: readonly Option[]
  /** Choices of the first argument; empty where it may be anything. */
  readonly choices: readonly string[]
  /** What stands behind `--` is a command of its own. */
  readonly runs: boolean
}

/** The script that completes commands, options and their choices, made of what the commands themselves define. */
function completionScript(shell: 'bash' | 'zsh' | 'fish', commands: readonly NamedCommand[]): string {
  return { bash, zsh, fish }[shell](commands.map(describe))
}

const describe = ({ name, summary, flags, choices = [], usage = '' }: NamedCommand): Subcommand => ({
  name,
  about: summary,
  flags: Object.entries(flags).map(([key, flag]) => ({
    names: [flagName(key), ...(flag.short === undefined ? [] : [`-${flag.short}`])],
    about: flag.about,
    takesValue: flag.value !== undefined,
    choices: flag.choices ?? [],
  })),
  choices,
  runs: usage.includes(' -- '),
})

const namesOf = ({ flags }: Subcommand): string[] => flags.flatMap(({ names }) => names)
const valued = ({ flags }: Subcommand): Option[] => flags.filter(({ takesValue }) => takesValue)
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The branches of a `case`: what stands before the cursor in a command, and its choices. */
function valueBranches(commands: readonly Subcommand[], complete: (choices: readonly string[]) => string): string[] {
  return commands.flatMap((command) =>
    valued(command).map(({ names, choices }) => {
      const patterns = names.map((name) => `"${command.name} ${name}"`).join('|')
      return `    ${patterns}) ${complete(choices)} ;;`
    }),
  )
}

function bash(commands: readonly Subcommand[]): string {
  const complete = (words: readonly string[]): string => `COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current"))`
  const runs = commands.filter((command) => command.runs).map(({ name }) => name)
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
${valueBranches(commands, (choices) => (choices.length === 0 ? 'return' : `${complete(choices)}; return`)).join('\n')}
  esac
  case "$command" in
${commands
  .map((command) => {
    const first = command.choices.length === 0 ? '' : `[ "$COMP_CWORD" -ne 2 ] || ${complete(command.choices)}`
    return `    ${command.name}) case "$current" in -*) ${complete(namesOf(command))} ;; *) ${first || ':'} ;; esac ;;`
  })
  .join('\n')}
  esac
}
complete -o default -F _gameserver_sidecar ${PROGRAM}`
}

function zsh(commands: readonly Subcommand[]): string {
  const item = (name: string, about: string): string => quote(`${name.replaceAll(':', String.raw`\:`)}:${about}`)
  return `#compdef ${PROGRAM}
_gameserver_sidecar() {
  local command=\${words[2]} previous=\${words[CURRENT-1]}
  local -a items
  if (( CURRENT == 2 )); then
    items=(${commands.map(({ name, about }) => item(name, about)).join(' ')})
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
${valueBranches(commands, (choices) => (choices.length === 0 ? '_files; return' : `compadd -- ${choices.join(' ')}; return`)).join('\n')}
  esac
  case "$command" in
${commands
  .map(({ name, flags, choices }) => {
    const items = flags.flatMap(({ names, about }) => names.map((one) => item(one, about)))
    const first = choices.length === 0 ? '_files' : `if (( CURRENT == 3 )); then compadd -- ${choices.join(' ')}; fi`
    return `    ${name}) items=(${items.join(' ')}); if [[ $PREFIX == -* ]]; then _describe option items; else ${first}; fi ;;`
  })
  .join('\n')}
  esac
}
if [[ $funcstack[1] == _gameserver_sidecar ]]; then _gameserver_sidecar "$@"; else compdef _gameserver_sidecar ${PROGRAM}; fi`
}

function fish(commands: readonly Subcommand[]): string {
  const line = (condition: string, rest: string): string => `complete -c ${PROGRAM} -n ${quote(condition)} ${rest}`
  return commands
    .flatMap(({ name, about, flags, choices }) => [
      line('__fish_use_subcommand', `-f -a ${name} -d ${quote(about)}`),
      ...(choices.length === 0
        ? []
        : [
            line(
              `__fish_seen_subcommand_from ${name}; and test (count (commandline -opc)) -eq 2`,
              `-f -a ${quote(choices.join(' '))}`,
            ),
          ]),
      ...flags.map((flag) => {
        const names = flag.names.map((one) => (one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`))
        const value = flag.choices.length > 0 ? ` -x -a ${quote(flag.choices.join(' '))}` : flag.takesValue ? ' -r' : ''
        return line(`__fish_seen_subcommand_from ${name}`, `${names.join(' ')}${value} -d ${quote(flag.about)}`)
      }),
    ])
    .join('\n')
}
