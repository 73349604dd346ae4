import type { Gateway } from '../../local/gateway.js'
import { dashboardUrl } from '../../local/sidecar.js'
import { plainText } from '../../local/files.js'
import { CommandError, defineCommand, noticesOf, UsageError, type CliContext, type Invocation } from '../context.js'
import { announceSidecar } from '../find-sidecar.js'
import { names, port, someSeconds } from '../flag-values.js'
import { option, text, toggle, under, withDefault, type Values } from '../flags.js'
import { jsonEvent } from '../json-line.js'
import { openByFlag } from '../keys.js'
import { givenOfLocal, insideFlags, localOptionsOf, logFormat, pageFlags, platform, sidecar } from '../local-flags.js'
import { eventPrinter } from '../local-lines.js'
import { checkSidecarFlags, pageOptionsOf, refuseHome } from '../serve-checks.js'
import { startError } from '../start-failure.js'

const flags = {
  port: withDefault(option('port', 'port of the page; 0 for any', port, { short: 'p', also: ['page-port'] }), 8080),
  sidecar,
  platform,
  timeout: withDefault(option('seconds', 'how long the sidecar may take to answer a call', someSeconds), 30),
  logFormat,
  open: toggle('open the page in a browser'),
  verbose: toggle('show every beat and every warning of the local sidecar'),
  ...pageFlags,
  ...under('Beyond this machine:', {
    host: withDefault(text('address', 'address to listen on', { also: ['address', 'page-host'] }), '127.0.0.1'),
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
}

type ServeFlags = Values<typeof flags>

export const command = defineCommand({ args: '<dir>', flags, run: runServe })

async function runServe({ args, flags: options, given, context }: Invocation<typeof flags>): Promise<number> {
  const stopped = context.untilStopped()
  const [dir = ''] = args
  checkSidecarFlags(options, process.env, givenOfLocal(given))
  if (!options.yes) refuseHome(dir)
  const gateway = await start(dir, options, context)
  if (gateway.local !== undefined) announceSidecar(gateway.local.url)
  const { local, sidecarUrl } = gateway
  const url = pageUrl(gateway)
  if (options.logFormat === 'json') {
    const dashboard = local !== undefined && options.dashboard ? dashboardUrl(local) : undefined
    context.print(jsonEvent('listening', { url, sidecar: sidecarUrl, dashboard }))
  } else printBanner(gateway, dir, options, context)
  if (options.open) openByFlag(url, context.warn)
  local?.sidecar.log.subscribe(eventPrinter(options, context))
  await gateway.close(await stopped)
  return 0
}

async function start(dir: string, options: ServeFlags, context: CliContext): Promise<Gateway> {
  const { createGateway } = await import('../../local/gateway.js')
  const { host, expose, token, sidecarPort } = options
  const notices = noticesOf(options.logFormat, context)
  try {
    return await createGateway({
      ...{ sidecar: options.sidecar, platform: options.platform, host, expose, token, ...notices },
      ...pageOptionsOf(dir, options),
      local: options.local && {
        ...localOptionsOf(options, notices),
        port: sidecarPort ?? 'usual',
      },
      port: options.port,
      allowHosts: options.allowHost,
      allowOrigins: options.allowOrigin,
      timeout: options.timeout * 1000,
    })
  } catch (error) {
    if (error instanceof UsageError || error instanceof CommandError) throw error
    const { port: failed = options.port } = error as { readonly port?: number }
    const portFlag = failed === sidecarPort && failed !== options.port ? '--sidecar-port' : '--port'
    throw await startError(error, { port: failed, portFlag, address: host, addressFlag: '--host' })
  }
}

const pageUrl = ({ token, url }: Gateway): string => new URL(token === undefined ? '/' : `/?token=${token}`, url).href

function printBanner(gateway: Gateway, dir: string, options: ServeFlags, { colors, print }: CliContext): void {
  const { local, sidecarUrl } = gateway
  print(`${colors.bold(plainText(dir))} at ${colors.cyan(pageUrl(gateway))}`)
  const kind = local === undefined ? 'Sidecar' : `Local sidecar (${local.mode} mode)`
  print(`${kind} at ${colors.cyan(sidecarUrl)}, for the page at /_/sidecar`)
  if (local !== undefined && options.dashboard) print(`Dashboard at ${colors.cyan(dashboardUrl(local))}`)
  if (options.file !== undefined) print(`GameServer from ${plainText(options.file)}, loaded again when it is saved`)
  if (options.deny !== undefined) print(`Not forwarded: ${options.deny.join(', ')}`)
}
