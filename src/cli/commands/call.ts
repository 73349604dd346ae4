import { Argument } from 'commander'
import type { Command } from 'commander'
import type { ClientOptions, SidecarClient } from '../../index.js'
import { isSidecarError } from '../../client/errors.js'
import type { SidecarError } from '../../client/errors.js'
import { plainText } from '../../node/plain-text.js'
import { someSeconds } from '../arguments.js'
import { callable, parseCall } from '../call-arguments.js'
import type { ParsedCall } from '../call-arguments.js'
import type { CliContext, CommandModule } from '../context.js'
import { createRecordingFetch, curlCommand } from '../curl-command.js'
import { EXIT } from '../exit-codes.js'
import { findSidecar, urlOption } from '../find-sidecar.js'
import { escapeJson, jsonText } from '../json-line.js'

interface CallFlags {
  readonly url?: string
  readonly timeout: number
  readonly int64: boolean
  readonly curl: boolean
}

export const callCommand: CommandModule = {
  define,
  run: (options, args, context) => runCall(args, options as unknown as CallFlags, context),
}

function define(command: Command): void {
  command
    .addArgument(operationArgument())
    .argument('[arguments...]', 'as the method of the client takes them; an update as JSON, or as countDiff=1')
    .addOption(urlOption())
    .option('--timeout <seconds>', 'how long the sidecar may take to answer', someSeconds, 10)
    .option('--int64', 'print integers beyond 2^53 as numbers, and not as text', false)
    .option('--curl', 'print the request as a curl command, and send nothing', false)
    .addHelpText(
      'after',
      `
Examples:
  gameserver-sidecar call ready
  gameserver-sidecar call setLabel mode dm
  gameserver-sidecar call updateCounter rooms countDiff=1
  gameserver-sidecar call updateList players '{"values":["alice","bob"]}' --curl`,
    )
}

/** Its choices are for help and completion; `parseCall` refuses others, and names the nearest. */
function operationArgument(): Argument {
  const argument = new Argument('<operation>', 'name of the method of the client')
  argument.argChoices = [...callable]
  return argument
}

async function runCall(args: readonly string[], flags: CallFlags, context: CliContext): Promise<number> {
  const [name = '', ...given] = args
  const parsed = parseCall(name, given)
  const baseUrl = findSidecar(flags.url, process.env)
  if (flags.curl) return printCurl(parsed, baseUrl, context)
  const { createClient } = await import('../../index.node.js')
  const client = createClient({ ...optionsOf(flags, baseUrl), int64: 'bigint' })
  try {
    context.print(toJson(await perform(client, parsed), flags.int64))
    return EXIT.DONE
  } catch (error) {
    if (!isSidecarError(error)) throw error
    context.warn(context.colors.red(plainText(`${error.code} ${error.message}`, 2_000)))
    return exitCodeOf(error)
  } finally {
    client.close()
  }
}

const optionsOf = ({ timeout }: Pick<CallFlags, 'timeout'>, baseUrl: string): ClientOptions => ({
  baseUrl,
  timeout: timeout * 1000,
  retry: false,
  verifyInterval: 0,
})

function perform(client: SidecarClient<bigint> | SidecarClient, { operation, args }: ParsedCall): Promise<unknown> {
  const method = client[operation] as (...args: unknown[]) => Promise<unknown>
  return method.call(client, ...args)
}

async function printCurl(parsed: ParsedCall, baseUrl: string, context: CliContext): Promise<number> {
  const { createClient } = await import('../../index.node.js')
  const { fetch, requests } = createRecordingFetch(String(parsed.args[0]))
  const client = createClient({ ...optionsOf({ timeout: 10 }, baseUrl), fetch })
  try {
    await perform(client, parsed)
  } catch (error) {
    // What was sent is what counts; arguments that are refused send nothing.
    if (requests.length === 0) {
      if (!isSidecarError(error)) throw error
      context.warn(context.colors.red(plainText(`${error.code} ${error.message}`, 2_000)))
      return exitCodeOf(error)
    }
  } finally {
    client.close()
  }
  context.print(curlCommand(requests.find(({ init }) => init.method !== 'GET') ?? requests[0]!))
  return EXIT.DONE
}

/** A write whose answer didn't come in time has the time limit as its cause. */
const isTimeOver = ({ code, cause }: SidecarError): boolean =>
  code === 'TIMEOUT' || (isSidecarError(cause) && cause.code === 'TIMEOUT')

function exitCodeOf(error: SidecarError): number {
  if (error.status !== undefined) return EXIT.FAILED
  if (isTimeOver(error)) return EXIT.TIME_OVER
  if (error.code === 'UNAVAILABLE') return EXIT.NO_SIDECAR
  return error.code === 'INVALID_ARGUMENT' || error.code === 'CONFIG' ? EXIT.USAGE : EXIT.FAILED
}

/**
 * The answer as JSON. An integer that most readers of JSON would round is text, as the sidecar itself sends it, unless
 * `exact` asks for the number with all its digits.
 */
function toJson(value: unknown, exact: boolean): string {
  if (typeof value === 'string') return jsonText({ outcome: value })
  const fields = Object.entries(value as object).map(([name, field]) => {
    const isExact = typeof field === 'bigint' && (exact || Number.isSafeInteger(Number(field)))
    return `${JSON.stringify(name)}:${isExact ? field : JSON.stringify(typeof field === 'bigint' ? String(field) : field)}`
  })
  return escapeJson(`{${fields.join(',')}}`)
}
