import { Option } from 'commander'
import type { Command } from 'commander'
import { plainText } from '../../node/plain-text.js'
import type { LocalSidecar } from '../../node/local/local-sidecar.js'
import { names, port, seconds } from '../arguments.js'
import { conformanceVerdict } from '../conformance-verdict.js'
import type { CliContext, CommandModule } from '../context.js'
import { createEventJson, jsonEvent } from '../event-json.js'
import { createEventLines } from '../event-lines.js'
import { createEventTally, tallyText } from '../event-tally.js'
import { attachKeys, hasKeys } from '../keys.js'
import { dashboardUrl } from '../../node/local/dashboard-url.js'
import { bannerLines, listeningLine } from '../local-lines.js'
import { localOptions } from '../local-options.js'
import type { LocalFlags } from '../local-options.js'
import { startError } from '../start-failure.js'

interface LocalOptions extends LocalFlags {
  readonly httpPort: number
  readonly address: string
  readonly platform: string
  readonly delay: number
  readonly timeout?: number
  readonly conformance?: string[]
  readonly allowHost?: string[]
  readonly allowOrigin?: string[]
  readonly logFormat: 'pretty' | 'json'
  readonly verbose: boolean
}

/** How long the process stays after the last expected call, so that the answer arrives. */
const LAST_ANSWER_MS = 250

export const localCommand: CommandModule = {
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
    .addOption(
      new Option('--log-format <format>', 'lines for people, or an object of JSON a line')
        .choices(['pretty', 'json'])
        .default('pretty'),
    )
    .option('--verbose', 'show every beat and every warning', false)
}

async function runLocal(options: LocalOptions, context: CliContext): Promise<number> {
  const { print, colors } = context
  const isJson = options.logFormat === 'json'
  const stopped = context.untilStopped()
  if (options.delay > 0) {
    print(isJson ? jsonEvent('waiting', { seconds: options.delay }) : `Waiting ${options.delay} s before starting.`)
    if ((await Promise.race([after(options.delay * 1000).then(() => 'start'), stopped])) !== 'start') return 0
  }
  const local = await start(options, stopped, context)
  if (typeof local === 'number') return local
  const keys = !isJson && hasKeys()
  const asked = options.httpPort !== 0 && local.port !== options.httpPort
  const ms = asked || options.delay > 0 ? undefined : Math.round(performance.now())
  const { platform, file, dashboard = true } = options
  const facts = { platform, file, ms, keys, dashboard }
  const first = isJson ? [listeningLine(local, facts, context)] : bannerLines(local, facts, context)
  const lines = isJson ? createEventJson(options.verbose) : createEventLines(colors, options.verbose)
  const tally = createEventTally()
  local.sidecar.log.subscribe((entry) => {
    tally.count(entry)
    lines(entry).forEach(print)
  })
  let detach: (() => void) | undefined
  const quit = new Promise<string>((resolve) => {
    if (!keys) return
    const page = dashboard ? dashboardUrl(local) : undefined
    detach = attachKeys({ local, dashboard: page, colors, print, onQuit: () => resolve('q') })
  })
  first.forEach(print)
  const end = await Promise.race([stopped, quit, ...timeoutOf(options), ...conformanceOf(local, options)])
  detach?.()
  const result = options.conformance === undefined ? undefined : local.sidecar.conformance()
  await local.close()
  if (isJson) print(jsonEvent('stopped', { by: end ?? 'itself', ...tally.totals }))
  else if (end === 'SIGINT' || end === 'q') print(tallyText(tally))
  if (result === undefined) return 0
  const verdict = plainText(conformanceVerdict(result), 10_000)
  if (isJson) print(jsonEvent('conformance', { ...result }))
  else print(result.ok ? colors.green(verdict) : colors.red(verdict))
  return result.ok ? 0 : 1
}

/** The sidecar, or the exit code where the user chose to go without one of their own. */
async function start(
  options: LocalOptions,
  stopped: Promise<string>,
  context: CliContext,
): Promise<LocalSidecar | number> {
  const { createLocalSidecar } = await import('../../node/local/local-sidecar.js')
  const { mode, file, address, platform, quirks, replace, conformance, wsLimit, record, redact, dashboard, httpPort } =
    options
  const isJson = options.logFormat === 'json'
  const listen = (chosen: number): Promise<LocalSidecar> =>
    createLocalSidecar({
      mode,
      file,
      address,
      platform,
      quirks,
      replace,
      dashboard,
      conformance,
      wsLimit,
      record,
      redact,
      port: chosen,
      featureGates: options.featureGates,
      allowHosts: options.allowHost,
      allowOrigins: options.allowOrigin,
      onWarning: (message) =>
        isJson
          ? context.print(jsonEvent('warning', { text: message }))
          : context.warn(context.colors.yellow(`warning: ${message}`)),
      onLog: (line) => (isJson ? context.print(jsonEvent('log', { text: line })) : context.warn(line)),
    })
  try {
    return await listen(httpPort)
  } catch (error) {
    if (!isJson && (error as NodeJS.ErrnoException).code === 'EADDRINUSE' && hasKeys()) {
      const { askAboutPort } = await import('../taken-port.js')
      return askAboutPort(httpPort, platform, listen, stopped, context)
    }
    throw await startError(error, { port: httpPort, portFlag: '--http-port', address, addressFlag: '--address' })
  }
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
