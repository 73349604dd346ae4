import type { ClientOptions, FetchLike } from '../../index.js'
import { isSidecarError, type SidecarError } from '../../client/errors.js'
import { plainText } from '../../local/files.js'
import { curlCommand, type ShownRequest } from '../../protocol/curl-command.js'
import { operations, type Operation, type OperationName } from '../../protocol/operations.js'
import { escapeJson } from '../../protocol/plain-text.js'
import { defineCommand, type CliContext } from '../context.js'
import { EXIT, UsageError } from '../exit-codes.js'
import { sidecarAddress, noSidecarAt, url } from '../sidecar-address.js'
import { option, toggle, someSeconds } from '../flags.js'
import { toolOptions } from '../ask.js'
import { pick } from '../usage.js'

/** All operations but the watch, which has its own command. */
export const callable = Object.keys(operations).filter((name) => name !== 'watchGameServer') as CallableName[]

export const command = defineCommand({
  args: '[operation] [arguments...]',
  flags: {
    url,
    timeout: option('seconds', 'how long the sidecar may take to answer', someSeconds, { byDefault: 10 }),
    curl: toggle('print the request as a curl command, and send nothing'),
  },
  examples: `Examples:
  gameserver-sidecar call ready
  gameserver-sidecar call setLabel mode dm
  gameserver-sidecar call updateCounter rooms countDiff=1
  gameserver-sidecar call updateList players '{"values":["alice","bob"]}' --curl`,
  async run({ args: [name = '', ...given], flags, context }) {
    const parsed = parseCall(name, given)
    const baseUrl = sidecarAddress(flags.url)
    const recorded = flags.curl ? createRecordingFetch(given[0] ?? '') : undefined
    const { createClient } = await import('../../index.node.js')
    const options: ClientOptions = { baseUrl, timeout: flags.timeout * 1000, retry: false, verifyInterval: 0 }
    const client = createClient({
      ...options,
      ...(recorded ? { fetch: recorded.fetch } : await toolOptions('call')),
      int64: 'bigint',
    })
    try {
      const method = client[parsed.operation] as (...args: unknown[]) => Promise<unknown>
      const answer = await method.call(client, ...parsed.args)
      if (recorded === undefined) context.print(toJson(answer))
    } catch (error) {
      // With --curl the client may reject the made-up answer; the request is known all the same.
      if (recorded === undefined || recorded.requests.length === 0) return reportFailure(error, baseUrl, context)
    } finally {
      client.close()
    }
    if (recorded !== undefined) {
      context.print(curlCommand(recorded.requests.find(({ method }) => method !== 'GET') ?? recorded.requests[0]!))
    }
    return EXIT.DONE
  },
})

type CallableName = Exclude<OperationName, 'watchGameServer'>

/** An operation and the arguments of the client's method for it. */
interface ParsedCall {
  readonly operation: CallableName
  readonly args: readonly unknown[]
}

/**
 * Reads the arguments by the table of operations: the key in the path, then the fields of the body. Updates, whose fields
 * are optional, are JSON or `name=value`.
 *
 * @throws UsageError
 */
function parseCall(name: string, given: readonly string[]): ParsedCall {
  if (name === 'watchGameServer')
    throw new UsageError('watchGameServer never ends; use gameserver-sidecar watch --json.')
  if (name === '') throw new UsageError(`Name one of the operations: ${callable.join(', ')}.`)
  const operation = pick('operation', name, callable)
  const [, path, body = {}] = operations[operation] as Operation
  const isUpdate = operation.startsWith('update')
  const wanted = [...(path.includes('{key}') ? ['key'] : []), ...(isUpdate ? [] : Object.keys(body))]
  if (isUpdate ? given.length <= wanted.length : given.length !== wanted.length) {
    const names = wanted.map((name) => `<${name}>`)
    if (isUpdate) names.push(`an update such as ${'values' in body ? 'values=a,b' : 'countDiff=1'}`)
    const got = given.map((one) => JSON.stringify(one)).join(' ') || 'none'
    throw new UsageError(`${operation} takes ${names.join(' and ') || 'no argument'}; got ${got}.`)
  }
  const plain = given.slice(0, wanted.length)
  return { operation, args: isUpdate ? [...plain, parseUpdate(given.slice(wanted.length), body)] : plain }
}

/** `{"countDiff":1}`, or `countDiff=1 capacity=10`, or `values=a,b`. Integers stay text, so that no digit is lost. */
function parseUpdate(given: readonly string[], body: NonNullable<Operation[2]>): unknown {
  const [first = ''] = given
  if (given.length === 1 && first.trimStart().startsWith('{')) {
    try {
      return JSON.parse(first)
    } catch (error) {
      throw new UsageError(`The update is no JSON: ${(error as Error).message}; got ${JSON.stringify(first)}.`, {
        cause: error,
      })
    }
  }
  return Object.fromEntries(
    given.map((pair) => {
      const [, field, value] = /^(\w+)=(.*)$/s.exec(pair) ?? []
      if (field === undefined) {
        const [example] = Object.keys(body)
        throw new UsageError(`An update looks like '{"${example}":"1"}' or ${example}=1; got ${JSON.stringify(pair)}.`)
      }
      return [field, body[field] === 'texts' ? value!.split(',').filter((one) => one !== '') : value]
    }),
  )
}

/** Prints the sidecar's or the client's error, and returns the exit code. @throws every other error */
function reportFailure(error: unknown, baseUrl: string, { warn, colors }: CliContext): number {
  if (!isSidecarError(error)) throw error
  warn(colors.red(plainText(`${error.code} ${error.message}`, 2_000)))
  if (error.status !== undefined) return EXIT.FAILED
  if (isTimeOver(error)) return EXIT.TIME_OVER
  if (error.code === 'UNAVAILABLE') {
    warn(colors.yellow(noSidecarAt(baseUrl)))
    return EXIT.NO_SIDECAR
  }
  return error.code === 'INVALID_ARGUMENT' || error.code === 'CONFIG' ? EXIT.USAGE : EXIT.FAILED
}

/** The error of a write whose answer came too late has the timeout as its cause. */
const isTimeOver = ({ code, cause }: SidecarError): boolean =>
  code === 'TIMEOUT' || (isSidecarError(cause) && cause.code === 'TIMEOUT')

/** The answer as JSON. An integer beyond 2^53, which most JSON parsers would round, is text. */
const toJson = (value: unknown): string =>
  escapeJson(
    JSON.stringify(typeof value === 'string' ? { outcome: value } : value, (_, field: unknown) => {
      if (typeof field !== 'bigint') return field
      return Number.isSafeInteger(Number(field)) ? Number(field) : String(field)
    }),
  )

/**
 * A `fetch` that records requests instead of sending them, for --curl. Reads of the client get an empty answer.
 *
 * @param key the name of the call's counter or list
 */
function createRecordingFetch(key: string): { readonly fetch: FetchLike; readonly requests: ShownRequest[] } {
  const requests: ShownRequest[] = []
  const list = { name: key, capacity: '0', count: '0', values: [] }
  const gameServer = { object_meta: {}, status: { state: '', lists: { [key]: list } } }
  return {
    requests,
    fetch: (url, { method, headers, body: sent }) => {
      requests.push({ url, method, headers, body: sent })
      const body = JSON.stringify(url.endsWith('/gameserver') ? gameServer : list)
      return Promise.resolve({ status: 200, headers: { get: () => null }, text: () => Promise.resolve(body) })
    },
  }
}
