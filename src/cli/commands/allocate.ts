import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'
import { plainText } from '../../node/plain-text.js'
import type { AnsweredAllocation, GameServerAllocation } from '../../sidecar/index.js'
import { UsageError } from '../context.js'
import type { CliContext, CommandModule } from '../context.js'
import { EXIT } from '../exit-codes.js'
import { findSidecar, urlOption } from '../find-sidecar.js'
import { jsonText } from '../json-line.js'

type Pair = readonly [string, string]

interface AllocateFlags {
  readonly file?: string
  readonly url?: string
  readonly token?: string
  readonly json: boolean
  readonly label?: readonly Pair[]
  readonly annotation?: readonly Pair[]
  readonly match?: readonly Pair[]
  readonly state?: string
  readonly addTo?: readonly Pair[]
  readonly increment?: readonly Pair[]
}

/** Flags that a manifest has fields for. */
const INSTEAD_OF_FILE = ['label', 'annotation', 'match', 'state', 'addTo', 'increment'] as const

export const allocateCommand: CommandModule = {
  define,
  run: (options, _args, context) => runAllocate(options as unknown as AllocateFlags, context),
}

function define(command: Command): void {
  command
    .option('-f, --file <path>', 'GameServerAllocation to send, as YAML or JSON')
    .option('--label <key=value>', 'label that the GameServer gets', pair)
    .option('--annotation <key=value>', 'annotation that it gets', pair)
    .option('--add-to <list=value>', 'value to add to a list, such as players=alice', pair)
    .option('--increment <counter>', 'counter to increment by 1, or by N with rooms=N', counter)
    .option('--match <key=value>', 'allocate only with this label', pair)
    .option('--state <state>', 'allocate in this state: Ready (default) or Allocated')
    .addOption(urlOption())
    .option('--token <token>', 'token of the control interface, for a sidecar that other machines can reach')
    .option('--json', 'print the answer as JSON in place of YAML', false)
    .addHelpText(
      'after',
      '\nExamples:\n  gameserver-sidecar allocate --label mode=dm --add-to players=alice\n' +
        '  gameserver-sidecar allocate -f allocation.yaml',
    )
}

async function runAllocate(flags: AllocateFlags, { colors, print, warn }: CliContext): Promise<number> {
  const [manifest, { requestAllocation }] = await Promise.all([manifestOf(flags), import('../request-allocation.js')])
  const answer = await requestAllocation(findSidecar(flags.url, process.env), flags.token, manifest)
  print(flags.json ? jsonText(answer, 2) : await toYaml(answer))
  const { state, gameServerName, address, ports } = answer.status
  if (state !== 'Allocated') {
    warn(colors.red(`Not allocated: ${plainText(answer.reason ?? 'no selector matched', 5_000)}.`))
    return EXIT.FAILED
  }
  const port = ports?.[0]?.port
  warn(
    colors.green(`Allocated ${plainText(`${gameServerName}, at ${address}${port === undefined ? '' : `:${port}`}`)}.`),
  )
  return EXIT.DONE
}

async function toYaml(answer: AnsweredAllocation): Promise<string> {
  const { stringify } = await import('../../node/yaml.js')
  return stringify(answer, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd()
}

async function manifestOf(flags: AllocateFlags): Promise<GameServerAllocation> {
  if (flags.file !== undefined) {
    const other = INSTEAD_OF_FILE.find((name) => flags[name] !== undefined)
    if (other !== undefined) {
      const flag = other.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      throw new UsageError(`--${flag} and --file exclude each other; write it into the file.`)
    }
    const { readAllocationFile } = await import('../allocation-file.js')
    return readAllocationFile(flags.file)
  }
  const { label, annotation, match, state, addTo = [], increment = [] } = flags
  const lists = groups(addTo)
  const manifest = {
    apiVersion: 'allocation.agones.dev/v1',
    kind: 'GameServerAllocation',
    spec: {
      ...(match === undefined && state === undefined
        ? {}
        : { selectors: [{ ...(match ? { matchLabels: Object.fromEntries(match) } : {}), gameServerState: state }] }),
      metadata: {
        ...(label ? { labels: Object.fromEntries(label) } : {}),
        ...(annotation ? { annotations: Object.fromEntries(annotation) } : {}),
      },
      ...(increment.length === 0
        ? {}
        : {
            counters: Object.fromEntries(
              increment.map(([name, amount]) => [name, { action: 'Increment', amount: Number(amount) }]),
            ),
          }),
      ...(lists.length === 0 ? {} : { lists: Object.fromEntries(lists) }),
    },
  }
  const { allocationMistake } = await import('../../schema/allocation.js')
  const problem = allocationMistake(manifest)
  if (problem !== undefined) throw new UsageError(`${problem.message}.`)
  return manifest as GameServerAllocation
}

/** The values of each list. */
function groups(pairs: readonly Pair[]): [string, { addValues: string[] }][] {
  const values = new Map<string, string[]>()
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value])
  return [...values].map(([name, addValues]) => [name, { addValues }])
}

function pair(text: string, before: readonly Pair[] = []): readonly Pair[] {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must look like key=value.')
  return [...before, [text.slice(0, at), text.slice(at + 1)]]
}

function counter(text: string, before: readonly Pair[] = []): readonly Pair[] {
  const [, name = '', amount = '1'] = /^([^=]+)(?:=(\d{1,15}))?$/.exec(text) ?? []
  if (name === '') throw new InvalidArgumentError('It must look like rooms or rooms=2.')
  return [...before, [name, amount]]
}
