import { variablePrefix } from '../local/gateway.js'
import { dashboardUrl, type LocalSidecar } from '../local/sidecar.js'
import { plainText } from '../local/files.js'
import type { ConformanceResult, LogEntry } from '../platform/sidecar.js'
import type { CliContext } from './context.js'
import { createEventLines } from './event-lines.js'
import { jsonEvent, jsonText } from './json-line.js'
import { keyRow } from './keys.js'

/** What a banner shows beside the sidecar. */
export interface BannerFacts {
  readonly platform: string
  readonly file?: string | undefined
  /** Milliseconds from the start of the command; undefined if it waited before. */
  readonly ms?: number | undefined
  readonly dashboard: boolean
  /** Whether keys of a terminal steer the sidecar. */
  readonly keys: boolean
}

/** The first lines of `local`. */
export function bannerLines(local: LocalSidecar, facts: BannerFacts, { colors, version }: CliContext): string[] {
  const { bold, dim, cyan, green } = colors
  const { gameServer, health } = local.sidecar.snapshot()
  const { name } = gameServer.object_meta
  const beats = health.disabled ? 'health off' : `health ${health.periodSeconds} s x${health.failureThreshold}`
  const file = facts.file === undefined ? '' : `   from ${plainText(facts.file)} (watched)`
  const row = (title: string, text: string): string => `  ${green('➜')}  ${bold(`${title}:`.padEnd(11))} ${text}`
  const variable = `${variablePrefix(facts.platform)}PORT=${local.port}`
  return [
    `  ${bold('SIDECAR')} v${version()}  ${dim(`${local.mode} mode${facts.ms === undefined ? '' : `, ready in ${facts.ms} ms`}`)}`,
    row('SDK', `${cyan(local.url)}   (${bold(variable)})`),
    ...(facts.dashboard ? [row('Dashboard', cyan(dashboardUrl(local)))] : []),
    row('GameServer', `${plainText(name, 100)}  ${plainText(gameServer.status.state, 100)}   ${beats}${file}`),
    ...(local.controlToken === undefined ? [] : [`  Token of the control interface: ${local.controlToken}`]),
    ...(facts.keys ? [`  ${keyRow(colors, facts.dashboard)}`] : []),
    // Windows' shell understands double quotes, too.
    `  Waiting for a game's first call. To make one by hand: ${cyan(`curl -d "{}" ${local.url}/ready`)}`,
  ]
}

/** The same as one line of JSON. */
export function listeningLine(
  local: LocalSidecar,
  { platform, file, ms, dashboard }: BannerFacts,
  { version }: CliContext,
): string {
  return jsonEvent('listening', {
    url: local.url,
    dashboard: dashboard ? dashboardUrl(local) : undefined,
    port: local.port,
    variable: `${variablePrefix(platform)}PORT`,
    mode: local.mode,
    gameServer: local.sidecar.snapshot().gameServer.object_meta.name,
    file,
    version: version(),
    ms,
  })
}

/** Creates the listener that prints the entries of the event log. */
export function eventPrinter(
  { logFormat, verbose }: { readonly logFormat: string; readonly verbose: boolean },
  { colors, print }: Pick<CliContext, 'colors' | 'print'>,
): (entry: LogEntry) => void {
  const lines = logFormat === 'json' ? createEventJson(verbose) : createEventLines(colors, verbose)
  return (entry) => lines(entry).forEach(print)
}

/** Creates the function that turns an entry of the event log into a line of JSON; none for an ordinary beat. */
function createEventJson(verbose: boolean): (entry: LogEntry) => string[] {
  return ({ event, at, ...outcome }) => {
    const { type, ...details } = event
    const isBeat = event.type === 'call' && event.call.operation === 'health'
    const isNews = (outcome.reply?.status ?? 200) >= 400 || outcome.changes.length > 0 || outcome.warnings.length > 0
    return isBeat && !isNews && !verbose
      ? []
      : [jsonText({ time: new Date(at).toISOString(), event: type, ...details, ...outcome })]
  }
}

/** Calls, changes of the GameServer, and answers that were errors. */
export interface Totals {
  calls: number
  events: number
  errors: number
}

export function count(totals: Totals, { event, reply, changes }: LogEntry): void {
  const status = event.type === 'refused' ? event.status : (reply?.status ?? 200)
  if (event.type === 'call' || event.type === 'refused') totals.calls += 1
  if (changes.length > 0) totals.events += 1
  if (status >= 400) totals.errors += 1
}

/** The totals in words, such as `12 calls, 3 events, 0 errors`. */
export const totalsText = (totals: Totals): string =>
  Object.entries(totals)
    .map(([name, many]) => `${many} ${many === 1 ? name.slice(0, -1) : name}`)
    .join(', ')

/** Sums up a conformance run in one sentence. */
export function conformanceVerdict(result: ConformanceResult): string {
  if (result.ok) return `Conformance passed: ${result.expected.join(', ')}.`
  const parts = [
    result.missing.length > 0 ? `never used: ${result.missing.join(', ')}` : '',
    result.unexpected.length > 0 ? `used and not expected: ${result.unexpected.join(', ')}` : '',
    ...result.problems,
  ]
  return `Conformance failed: ${parts.filter((part) => part !== '').join('; ')}.`
}
