import { dashboardUrl, type LocalSidecar } from '../../local/sidecar.js'
import { plainText } from '../../local/files.js'
import { defineCommand, noticesOf, type CliContext } from '../context.js'
import { announceSidecar } from '../find-sidecar.js'
import { names, port, seconds } from '../flag-values.js'
import { option, text, toggle, withDefault, type Values } from '../flags.js'
import { jsonEvent } from '../json-line.js'
import { attachKeys, hasKeys, openByFlag } from '../keys.js'
import { ADDRESS_NAMES, localFlags, localOptionsOf, logFormat, open, platform, SIDECAR_PORT } from '../local-flags.js'
import { bannerLines, conformanceVerdict, count, eventPrinter, listeningLine, totalsText } from '../local-lines.js'
import { askAboutPort, failStart } from '../start-failure.js'

const flags = {
  ...localFlags,
  port: withDefault(option('port', 'port for HTTP and WebSocket; 0 for any', port, SIDECAR_PORT), 9358),
  grpcPort: option('port', 'for command lines of sdk-server; nothing listens there', port),
  address: withDefault(text('address', 'address to listen on', ADDRESS_NAMES), 'localhost'),
  platform,
  delay: withDefault(option('seconds', 'wait this long before starting', seconds), 0),
  timeout: option('seconds', 'stop after this long', seconds),
  conformance: option('names', 'exit with code 1 unless the client uses exactly these operations', names),
  allowHost: option('name', 'also accept requests for this Host', names),
  allowOrigin: option('origin', 'also accept requests from pages of this origin', names),
  logFormat,
  open,
  verbose: toggle('show every beat and every warning'),
}

type LocalFlags = Values<typeof flags>

/** The process stays this long after the last expected call, so that the answer arrives. */
const LAST_ANSWER_MS = 250

export const command = defineCommand({ flags, run: ({ flags: given, context }) => runLocal(given, context) })

async function runLocal(options: LocalFlags, context: CliContext): Promise<number> {
  const { print, colors } = context
  const isJson = options.logFormat === 'json'
  const stopped = context.untilStopped()
  if (options.delay > 0) {
    print(isJson ? jsonEvent('waiting', { seconds: options.delay }) : `Waiting ${options.delay} s before starting.`)
    if ((await Promise.race([after(options.delay * 1000).then(() => 'start'), stopped])) !== 'start') return 0
  }
  const local = await start(options, stopped, context)
  if (typeof local === 'number') return local
  announceSidecar(local.url)
  const keys = !isJson && hasKeys()
  const asked = options.port !== 0 && local.port !== options.port
  const ms = asked || options.delay > 0 ? undefined : Math.round(performance.now())
  const { dashboard } = options
  const facts = { platform: options.platform, file: options.file, ms, keys, dashboard }
  const first = isJson ? [listeningLine(local, facts, context)] : bannerLines(local, facts, context)
  const printEvent = eventPrinter(options, context)
  const totals = { calls: 0, events: 0, errors: 0 }
  local.sidecar.log.subscribe((entry) => {
    count(totals, entry)
    printEvent(entry)
  })
  let detach: (() => void) | undefined
  const quit = new Promise<string>((resolve) => {
    if (!keys) return
    const page = dashboard ? dashboardUrl(local) : undefined
    detach = attachKeys({ local, dashboard: page, colors, print, onQuit: () => resolve('q') })
  })
  first.forEach(print)
  if (options.open && dashboard) openByFlag(dashboardUrl(local), context.warn)
  const end = await Promise.race([stopped, quit, ...timeoutOf(options), ...conformanceOf(local, options)])
  detach?.()
  const result = options.conformance === undefined ? undefined : local.sidecar.conformance()
  await local.close()
  if (isJson) print(jsonEvent('stopped', { by: end ?? 'itself', ...totals }))
  else if (end === 'SIGINT' || end === 'q') print(totalsText(totals))
  if (result === undefined) return 0
  const verdict = plainText(conformanceVerdict(result), 10_000)
  if (isJson) print(jsonEvent('conformance', { ...result }))
  else print(result.ok ? colors.green(verdict) : colors.red(verdict))
  return result.ok ? 0 : 1
}

/** The sidecar, or the exit code if the user chose to start none. */
async function start(
  options: LocalFlags,
  stopped: Promise<string>,
  context: CliContext,
): Promise<LocalSidecar | number> {
  const { createLocalSidecar } = await import('../../local/sidecar.js')
  const { address, conformance, port } = options
  const isJson = options.logFormat === 'json'
  const notices = noticesOf(options.logFormat, context)
  if (options.grpcPort !== undefined)
    notices.onWarning('Nothing listens at --grpc-port: this sidecar speaks HTTP and WebSocket.')
  const listen = (wanted: number): Promise<LocalSidecar> =>
    createLocalSidecar({
      ...localOptionsOf(options, notices),
      ...{ address, conformance, platform: options.platform, port: wanted },
      allowHosts: options.allowHost,
      allowOrigins: options.allowOrigin,
    })
  return listen(port).catch((error: unknown) =>
    !isJson && (error as NodeJS.ErrnoException).code === 'EADDRINUSE' && hasKeys()
      ? askAboutPort(port, options.platform, listen, stopped, context)
      : failStart({ port, portFlag: '--port', address, addressFlag: '--address' })(error),
  )
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const timeoutOf = ({ timeout }: LocalFlags): Promise<void>[] =>
  timeout === undefined || timeout === 0 ? [] : [after(timeout * 1000)]

/** Without a timeout, a conformance run ends with the last expected operation. */
function conformanceOf(local: LocalSidecar, { conformance, timeout }: LocalFlags): Promise<void>[] {
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
