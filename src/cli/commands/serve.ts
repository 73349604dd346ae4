import { failStart, type Place } from '../exit-codes.js'
import { plainText } from '../../local/files.js'
import type { Gateway } from '../../local/gateway.js'
import { dashboardUrl } from '../../local/sidecar.js'
import type { OperationName } from '../../protocol/operations.js'
import { defineCommand, noticesOf, type CliContext, type Invocation } from '../context.js'
import { eventPrinter } from '../event-lines.js'
import { option, rarely, text, toggle, under, type Values, names, port, someSeconds } from '../flags.js'
import { openByFlag } from '../open-browser.js'
import { jsonEvent } from '../output.js'
import {
  insideFlags,
  localFlags,
  logFormat,
  pageFlags,
  pageServerOptionsOf,
  platform,
  sidecar,
  yes,
} from '../shared-flags.js'

const flags = {
  port: option('port', 'port of the page; 0 for any', port, { short: 'p', byDefault: 8080 }),
  sidecar,
  platform,
  timeout: option('seconds', 'how long the sidecar may take to answer a call', someSeconds, { byDefault: 30 }),
  logFormat,
  open: toggle('open the page in a browser'),
  verbose: toggle('show every beat and every warning of the local sidecar'),
  ...under('The page:', {
    deny: option('operations', 'refuse these operations, for example shutdown,allocate', names),
    spa: toggle('answer paths without a file with index.html'),
    yes,
  }),
  ...pageFlags,
  ...under('Beyond this machine:', {
    host: text('address', 'address to listen on', { byDefault: '127.0.0.1' }),
    expose: toggle('allow a --host that other machines can reach'),
    token: option<string | true>(
      '[secret]',
      'require this secret to use the sidecar; without a value, one is generated',
      (secret) => secret,
    ),
    allowHost: option('name', 'also accept requests for this Host', names),
    allowOrigin: option('origin', 'also let pages of this origin use the sidecar', names),
  }),
  ...insideFlags,
  ...under('With a sidecar of its own:', rarely(localFlags)),
}

type ServeFlags = Values<typeof flags>

export const command = defineCommand({ args: '<dir>', flags, run: runServe })

async function runServe({ args, flags: options, given, context }: Invocation<typeof flags>): Promise<number> {
  const stopped = context.untilStopped()
  const [dir = ''] = args
  const gateway = await start(dir, options, given, context)
  const { local, sidecarUrl: sidecar, token } = gateway
  const url = new URL(token === undefined ? '/' : `/?token=${token}`, gateway.url).href
  const dashboard = local !== undefined && options.dashboard ? dashboardUrl(local) : undefined
  const { bold, cyan } = context.colors
  const lines =
    options.logFormat === 'json'
      ? [jsonEvent('listening', { url, sidecar, dashboard })]
      : [
          `${bold(plainText(dir))} at ${cyan(url)}`,
          `${local === undefined ? 'Sidecar' : `Local sidecar (${local.mode} mode)`} at ${cyan(sidecar)}, for the page at /_/sidecar`,
          dashboard && `Dashboard at ${cyan(dashboard)}`,
          options.file && `GameServer from ${plainText(options.file)}, loaded again when it is saved`,
          options.deny && `Not forwarded: ${options.deny.join(', ')}`,
        ]
  for (const line of lines) if (line) context.print(line)
  if (options.open) openByFlag(url, context.warn)
  local?.sidecar.log.subscribe(eventPrinter(options, context))
  await gateway.close(await stopped)
  return 0
}

async function start(
  dir: string,
  options: ServeFlags,
  given: ReadonlySet<string>,
  context: CliContext,
): Promise<Gateway> {
  const notices = noticesOf(options.logFormat, context)
  const page = pageServerOptionsOf(dir, options, given, notices)
  const { createGateway } = await import('../../local/gateway.js')
  const { host, expose, token, platform, spa, sidecarPort } = options
  const placeOf = (error: unknown): Place => {
    const { port = options.port } = error as { readonly port?: number }
    const portFlag = port === sidecarPort && port !== options.port ? '--sidecar-port' : '--port'
    return { port, portFlag, address: host, addressFlag: '--host' }
  }
  return createGateway({
    ...{ host, expose, token, platform, spa, port: options.port, ...notices, ...page },
    deny: options.deny as readonly OperationName[] | undefined,
    allowHosts: options.allowHost,
    allowOrigins: options.allowOrigin,
    timeout: options.timeout * 1000,
  }).catch(failStart(placeOf))
}
