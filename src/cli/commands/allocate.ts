import { findDocument, plainText, readTextFile, stringify, YamlError } from '../../local/files.js'
import { allocationMistake } from '../../platform/schema.js'
import { newAllocation, type AnsweredAllocation, type GameServerAllocation } from '../../platform/sidecar.js'
import { isObject } from '../../protocol/is-object.js'
import { defineCommand, type Invocation } from '../context.js'
import { CommandError, EXIT, unreadable, UsageError } from '../exit-codes.js'
import { sidecarAddress, noSidecarAt, url } from '../sidecar-address.js'
import { flagName, option, text, type Values } from '../flags.js'
import { parseObject } from '../../client/request.js'
import { ask } from '../ask.js'

type Pair = readonly [string, string]

/** Flags that make a manifest. */
const insteadOfFile = {
  label: option('key=value', 'label to set on the GameServer', pair),
  addTo: option('list=value', 'value to add to a list, such as players=alice; repeatable', pair),
  increment: option('counter', 'counter to increment by 1, or by N with rooms=N', counter),
}

const flags = {
  file: text('path', 'GameServerAllocation to send, as YAML or JSON', { short: 'f' }),
  ...insteadOfFile,
  url,
  token: text('token', 'token of the control interface, for a sidecar that other machines can reach'),
}

type AllocateFlags = Values<typeof flags>

export const command = defineCommand({
  flags,
  examples: `Examples:
  gameserver-sidecar allocate --label mode=dm --add-to players=alice
  gameserver-sidecar allocate -f allocation.yaml`,
  run: runAllocate,
})

async function runAllocate({ flags: given, context }: Invocation<typeof flags>): Promise<number> {
  const { colors, print, warn } = context
  const manifest = await manifestOf(given)
  const answer = await requestAllocation(sidecarAddress(given.url), given.token, manifest)
  print(stringify(answer, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd())
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
  const { label, addTo, increment } = given
  const manifest = newAllocation({
    metadata: label && { labels: Object.fromEntries(label) },
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

const KIND = 'GameServerAllocation'

/**
 * Reads and checks the first GameServerAllocation of a YAML or JSON file.
 *
 * @throws UsageError that names the file, the line and the fix
 * @throws CommandError for a file that can't be read
 */
async function readAllocationFile(path: string): Promise<GameServerAllocation> {
  const text = await readTextFile(path).catch((error: unknown) => {
    throw unreadable(path, error)
  })
  const { value, lineOf } = await findDocument(text, (one) => kindOf(one) === KIND).catch((error: unknown) => {
    if (!(error instanceof YamlError)) throw error
    throw new UsageError(`${plainText(path)} is neither YAML nor JSON: ${error.message}.`, { cause: error })
  })
  if (kindOf(value) !== KIND) throw new UsageError(`${plainText(path)} holds nothing of kind: ${KIND}.`)
  const problem =
    'apiVersion' in (value as object)
      ? allocationMistake(value)
      : { message: 'apiVersion must be "allocation.agones.dev/v1"; got nothing', path: ['kind'] }
  if (problem === undefined) return value as GameServerAllocation
  const place = `${plainText(path)}:${lineOf(problem.path)}`
  throw new UsageError(`${place}: ${problem.message}${problem.message.endsWith('?') ? '' : '.'}`)
}

const kindOf = (value: unknown): unknown => (isObject(value) ? value['kind'] : undefined)

const PATIENCE_MS = 10_000

/**
 * Sends an allocation to a local sidecar's control interface.
 *
 * @throws UsageError for a manifest or token that the sidecar refuses
 * @throws CommandError if no local sidecar answers
 */
async function requestAllocation(
  url: string,
  token: string | undefined,
  manifest: GameServerAllocation,
): Promise<AnsweredAllocation> {
  const { status, text, problem } = await ask(`${url}/_/api/allocations`, {
    command: 'allocate',
    method: 'POST',
    body: JSON.stringify(manifest),
    headers: {
      'content-type': 'application/json',
      'x-sidecar-control': '1',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    patience: PATIENCE_MS,
  })
  if (problem !== undefined) throw new CommandError(EXIT.NO_SIDECAR, noSidecarAt(url))
  const answer = (parseObject(text) ?? {}) as Partial<AnsweredAllocation> & { readonly message?: string }
  if (status === 200 && answer.status !== undefined) return answer as AnsweredAllocation
  const said = plainText(typeof answer.message === 'string' ? answer.message : '', 1_000).replace(/\.$/, '')
  if (status === 400 && said !== '') throw new UsageError(`${said}.`)
  if (status === 401) throw new UsageError(`${said}; give it with --token.`)
  const read = await ask(`${url}/gameserver`, { command: 'allocate', patience: PATIENCE_MS })
  if ('object_meta' in (parseObject(read.text) ?? {})) {
    throw new CommandError(
      EXIT.NO_SIDECAR,
      `The sidecar at ${url} is a real one, and only the cluster allocates there: use kubectl create -f allocation.yaml.`,
    )
  }
  const what = said === '' ? `status ${status}` : `${status} ${said}`
  throw new CommandError(EXIT.NO_SIDECAR, `No local sidecar listens at ${url}: the answer was ${what}.`)
}
