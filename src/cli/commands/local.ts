import type { Command } from 'commander'
import { variablePrefix } from '../../node/gateway/sidecar-url.js'
import { plainText } from '../../node/plain-text.js'
import type { LocalSidecar } from '../../node/local/local-sidecar.js'
import { names, port, seconds } from '../arguments.js'
import { conformanceVerdict } from '../conformance-verdict.js'
import { UsageError } from '../context.js'
import type { CliContext, CommandModule } from '../context.js'
import { createEventLines } from '../event-lines.js'
import { localOptions } from '../local-options.js'
import type { LocalFlags } from '../local-options.js'
import { startFailure } from '../start-failure.js'

interface LocalOptions extends LocalFlags {
  readonly httpPort: number
  readonly address: string
  readonly platform: string
  readonly delay: number
  readonly timeout?: number
  readonly conformance?: string[]
  readonly allowHost?: string[]
  readonly allowOrigin?: string[]
  readonly verbose: boolean
}

/** How long the process stays after the last expected call, so that the answer arrives. */
const LAST_ANSWER_MS = 250

export const localCommand: CommandModule = {
  name: 'local',
  summary: 'Run the whole sidecar on this machine, without a cluster.',
  define,
  run: (options, _args, context) => runLocal(options as unknown as LocalOptions, context),
}

function define(command: Command): void {
  for (const option of localOptions()) command.addOption(option)
  command
    .option('--http-port <port>', 'port for HTTP and WebSocket; 0 for any', port, 9358)
    .option('--address <address>', 'address to listen on', 'localhost')
    .option('--platform <name>', 'prefix of labels and annotations, <name>.dev/sdk-', 'agones')
    .option('--delay <seconds>', 'wait this long before starting', seconds, 0)
    .option('--timeout <seconds>', 'stop after this long', seconds)
    .option('--conformance <names>', 'exit with code 1 unless the client uses exactly these operations', names)
    .option('--allow-host <name>', 'also accept requests for this Host', names)
    .option('--allow-origin <origin>', 'also accept requests from pages of this origin', names)
    .option('--verbose', 'show every beat and every warning', false)
}

async function runLocal(options: LocalOptions, context: CliContext): Promise<number> {
  const stopped = context.untilStopped()
  if (options.delay > 0) {
    context.print(`Waiting ${options.delay} s before starting.`)
    if ((await Promise.race([after(options.delay * 1000).then(() => 'start'), stopped])) !== 'start') return 0
  }
  const local = await start(options, context)
  printBanner(local, options, context)
  const eventLines = createEventLines(context.colors, options.verbose)
  local.sidecar.log.subscribe((entry) => eventLines(entry).forEach(context.print))
  await Promise.race([stopped, ...timeoutOf(options), ...conformanceOf(local, options)])
  const result = options.conformance === undefined ? undefined : local.sidecar.conformance()
  await local.close()
  if (result === undefined) return 0
  const verdict = plainText(conformanceVerdict(result), 10_000)
  context.print(result.ok ? context.colors.green(verdict) : context.colors.red(verdict))
  return result.ok ? 0 : 1
}

async function start(options: LocalOptions, context: CliContext): Promise<LocalSidecar> {
  const { createLocalSidecar } = await import('../../node/local/local-sidecar.js')
  const { mode, file, address, platform, quirks, conformance, wsLimit, record, redact } = options
  try {
    return await createLocalSidecar({
      mode,
      file,
      address,
      platform,
      quirks,
      conformance,
      wsLimit,
      record,
      redact,
      port: options.httpPort,
      featureGates: options.featureGates,
      allowHosts: options.allowHost,
      allowOrigins: options.allowOrigin,
      onWarning: (message) => context.warn(context.colors.yellow(`warning: ${message}`)),
      onLog: context.warn,
    })
  } catch (error) {
    const place = { port: options.httpPort, portFlag: '--http-port', address, addressFlag: '--address' }
    throw new UsageError(startFailure(error, place), { cause: error })
  }
}

function printBanner(local: LocalSidecar, options: LocalOptions, { colors, print }: CliContext): void {
  print(`${colors.bold('Local sidecar')} (${local.mode} mode) at ${colors.cyan(local.url)}`)
  print(`For the game server: ${colors.bold(`${variablePrefix(options.platform)}PORT=${local.port}`)}`)
  if (options.file !== undefined) print(`GameServer from ${plainText(options.file)}, loaded again when it is saved`)
  if (local.controlToken !== undefined) print(`Token of the control interface: ${local.controlToken}`)
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const timeoutOf = ({ timeout }: LocalOptions): Promise<void>[] =>
  timeout === undefined || timeout === 0 ? [] : [after(timeout * 1000)]

/** Without a timeout, a conformance run ends with the last expected operation. */
function conformanceOf(local: LocalSidecar, { conformance, timeout }: LocalOptions): Promise<void>[] {
  if (conformance === undefined || (timeout ?? 0) > 0) return []
  return [
    new Promise((resolve) => {
      const unsubscribe = local.sidecar.log.subscribe(() => {
        if (local.sidecar.conformance().missing.length > 0) return
        unsubscribe()
        setTimeout(resolve, LAST_ANSWER_MS)
      })
    }),
  ]
}
