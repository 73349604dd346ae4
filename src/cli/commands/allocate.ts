import { plainText, stringify } from '../../local/files.js'
import { allocationMistake } from '../../platform/schema.js'
import { newAllocation, type GameServerAllocation } from '../../platform/sidecar.js'
import { readAllocationFile, requestAllocation } from '../allocation.js'
import { defineCommand, type CliContext } from '../context.js'
import { EXIT, UsageError } from '../exit-codes.js'
import { findSidecar, url } from '../find-sidecar.js'
import { flagName, option, text, toggle, type Values } from '../flags.js'
import { jsonText } from '../output.js'

type Pair = readonly [string, string]

/** Flags that make a manifest. */
const insteadOfFile = {
  label: option('key=value', 'label to set on the GameServer', pair),
  annotation: option('key=value', 'annotation to set on the GameServer', pair),
  addTo: option('list=value', 'value to add to a list, such as players=alice; repeatable', pair),
  increment: option('counter', 'counter to increment by 1, or by N with rooms=N', counter),
  match: option('key=value', 'allocate only with this label', pair),
  state: text('state', 'allocate in this state: Ready (default) or Allocated'),
}

const flags = {
  file: text('path', 'GameServerAllocation to send, as YAML or JSON', { short: 'f' }),
  ...insteadOfFile,
  url,
  token: text('token', 'token of the control interface, for a sidecar that other machines can reach'),
  json: toggle('print the answer as JSON in place of YAML'),
}

type AllocateFlags = Values<typeof flags>

export const command = defineCommand({
  flags,
  examples: `Examples:
  gameserver-sidecar allocate --label mode=dm --add-to players=alice
  gameserver-sidecar allocate -f allocation.yaml`,
  run: ({ flags: given, context }) => runAllocate(given, context),
})

async function runAllocate(given: AllocateFlags, { colors, print, warn }: CliContext): Promise<number> {
  const manifest = await manifestOf(given)
  const several = given.addTo?.find(([, value]) => value.includes(','))
  if (several !== undefined) {
    const [list, value] = several.map((text) => plainText(text, 100))
    warn(colors.yellow(`warning: "${value}" is one value of ${list}; repeat --add-to for several.`))
  }
  const answer = await requestAllocation(await findSidecar(given.url, process.env), given.token, manifest)
  const yaml = (): string => stringify(answer, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd()
  print(given.json ? jsonText(answer, 2) : yaml())
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

async function manifestOf(given: AllocateFlags): Promise<GameServerAllocation> {
  if (given.file !== undefined) {
    const other = Object.keys(insteadOfFile).find((name) => given[name as keyof AllocateFlags] !== undefined)
    if (other !== undefined) {
      throw new UsageError(`${flagName(other)} and --file exclude each other; write it into the file.`)
    }
    return readAllocationFile(given.file)
  }
  const { label, annotation, match, state, addTo, increment } = given
  const isSelective = match !== undefined || state !== undefined
  const manifest = newAllocation({
    selectors: isSelective ? [{ matchLabels: match && Object.fromEntries(match), gameServerState: state }] : undefined,
    metadata: {
      labels: label && Object.fromEntries(label),
      annotations: annotation && Object.fromEntries(annotation),
    },
    counters: increment && Object.fromEntries(increment.map(toIncrement)),
    lists: addTo && listsOf(addTo),
  })
  const problem = allocationMistake(manifest)
  if (problem !== undefined) throw new UsageError(`${problem.message}.`)
  return manifest
}

const toIncrement = ([name, amount]: Pair) => [name, { action: 'Increment', amount: Number(amount) }] as const

const listsOf = (pairs: readonly Pair[]): object =>
  Object.fromEntries(
    pairs.map(([list]) => [list, { addValues: pairs.filter(([name]) => name === list).map(([, value]) => value) }]),
  )

function pair(text: string, before: readonly Pair[] = []): readonly Pair[] {
  const at = text.indexOf('=')
  if (at < 1) throw new Error('It must look like key=value.')
  return [...before, [text.slice(0, at), text.slice(at + 1)]]
}

function counter(text: string, before: readonly Pair[] = []): readonly Pair[] {
  const [, name = '', amount = '1'] = /^([^=]+)(?:=(\d{1,15}))?$/.exec(text) ?? []
  if (name === '') throw new Error('It must look like rooms or rooms=2.')
  return [...before, [name, amount]]
}
