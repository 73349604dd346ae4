import { failStart } from '../exit-codes.js'
import { plainText } from '../../local/files.js'
import { variablePrefix } from '../../local/gateway.js'
import { dashboardUrl, type LocalSidecar } from '../../local/sidecar.js'
import type { ConformanceResult, LogEntry } from '../../platform/sidecar.js'
import { defineCommand, noticesOf, type CliContext, type Invocation } from '../context.js'
import { bannerRow, eventPrinter } from '../event-lines.js'
import { option, text, toggle, type Values, names, port, seconds } from '../flags.js'
import { openByFlag } from '../open-browser.js'
import { jsonEvent } from '../output.js'
import { localFlags, localOptionsOf, logFormat, open, platform } from '../shared-flags.js'

const flags = {
  ...localFlags,
  port: option('port', 'port for HTTP and WebSocket; 0 for any', port, {
    ...{ short: 'p', byDefault: 9358 },
    // The real sidecar's name for it.
    also: ['http-port'],
  }),
  address: text('address', 'address to listen on', { byDefault: 'localhost' }),
  platform,
  timeout: option('seconds', 'stop after this long', seconds),
  conformance: option('names', 'exit with code 1 unless the client uses exactly these operations', names),
  allowHost: option('name', 'also accept requests for this Host', names),
  allowOrigin: option('origin', 'also accept requests from pages of this origin', names),
  logFormat,
  open,
  verbose: toggle('show every beat and every warning'),
}

type LocalFlags = Values<typeof flags>

export const command = defineCommand({ flags, run: runLocal })

async function runLocal({ flags: options, context }: Invocation<typeof flags>): Promise<number> {
  const { print, colors } = context
  const isJson = options.logFormat === 'json'
  const stopped = context.untilStopped()
  const local = await start(options, context)
  const { url, port, sidecar } = local
  const dashboard = options.dashboard ? dashboardUrl(local) : undefined
  const printEvent = eventPrinter(options, context)
  const totals = { calls: 0, events: 0, errors: 0 }
  sidecar.log.subscribe((entry) => {
    count(totals, entry)
    printEvent(entry)
  })
  const { name } = sidecar.snapshot().gameServer.object_meta
  if (isJson) print(jsonEvent('listening', { url, port, dashboard, gameServer: name, file: options.file }))
  else bannerLines(local, options, dashboard, context).forEach(print)
  if (options.open && dashboard !== undefined) openByFlag(dashboard, context.warn)
  const end = await Promise.race([stopped, ...timeoutOf(options)])
  const result = options.conformance === undefined ? undefined : sidecar.conformance()
  await local.close()
  if (isJson) print(jsonEvent('stopped', { by: end ?? 'itself', ...totals }))
  else if (end === 'SIGINT') print(totalsText(totals))
  if (result === undefined) return 0
  const verdict = plainText(conformanceVerdict(result), 10_000)
  if (isJson) print(jsonEvent('conformance', { ...result }))
  else print(result.ok ? colors.green(verdict) : colors.red(verdict))
  return result.ok ? 0 : 1
}

async function start(options: LocalFlags, context: CliContext): Promise<LocalSidecar> {
  const { createLocalSidecar } = await import('../../local/sidecar.js')
  const { address, conformance, port } = options
  const notices = noticesOf(options.logFormat, context)
  return createLocalSidecar({
    ...localOptionsOf(options, notices),
    ...{ address, conformance, port, platform: options.platform },
    allowHosts: options.allowHost,
    allowOrigins: options.allowOrigin,
  }).catch(failStart({ port, portFlag: '--port', address, addressFlag: '--address' }))
}

const timeoutOf = ({ timeout }: LocalFlags): Promise<void>[] =>
  timeout ? [new Promise((resolve) => setTimeout(resolve, timeout * 1000))] : []

/** The first lines. */
function bannerLines(
  local: LocalSidecar,
  { platform, file }: LocalFlags,
  dashboard: string | undefined,
  { colors, version }: CliContext,
): string[] {
  const { bold, dim, cyan } = colors
  const { gameServer, health } = local.sidecar.snapshot()
  const beats = health.disabled ? 'health off' : `health ${health.periodSeconds} s x${health.failureThreshold}`
  const from = file === undefined ? '' : `   from ${plainText(file)} (watched)`
  const row = bannerRow(colors)
  const name = plainText(gameServer.object_meta.name, 100)
  return [
    `  ${bold('SIDECAR')} v${version()}  ${dim(`${local.mode} mode, ready in ${Math.round(performance.now())} ms`)}`,
    row('SDK', `${cyan(local.url)}   (${bold(`${variablePrefix(platform)}PORT=${local.port}`)})`),
    ...(dashboard === undefined ? [] : [row('Dashboard', cyan(dashboard))]),
    row('GameServer', `${name}  ${plainText(gameServer.status.state, 100)}   ${beats}${from}`),
    ...(local.controlToken === undefined ? [] : [`  Token of the control interface: ${local.controlToken}`]),
    // Windows' shell understands double quotes, too.
    `  Waiting for a game's first call. To make one by hand: ${cyan(`curl -d "{}" ${local.url}/ready`)}`,
  ]
}

/** Calls, changes of the GameServer, and answers that were errors. */
interface Totals {
  calls: number
  events: number
  errors: number
}

function count(totals: Totals, { event, reply, changes }: LogEntry): void {
  const status = event.type === 'refused' ? event.status : (reply?.status ?? 200)
  if (event.type === 'call' || event.type === 'refused') totals.calls += 1
  if (changes.length > 0) totals.events += 1
  if (status >= 400) totals.errors += 1
}

/** The totals in words, such as `12 calls, 3 events, 0 errors`. */
const totalsText = (totals: Totals): string =>
  Object.entries(totals)
    .map(([name, many]) => `${many} ${many === 1 ? name.slice(0, -1) : name}`)
    .join(', ')

/** Sums up a conformance run in one sentence. */
function conformanceVerdict(result: ConformanceResult): string {
  if (result.ok) return `Conformance passed: ${result.expected.join(', ')}.`
  const parts = [
    result.missing.length > 0 ? `never used: ${result.missing.join(', ')}` : '',
    result.unexpected.length > 0 ? `used and not expected: ${result.unexpected.join(', ')}` : '',
    ...result.problems,
  ]
  return `Conformance failed: ${parts.filter((part) => part !== '').join('; ')}.`
}
