import { Option } from 'commander'
import type { Command } from 'commander'
import type { Gateway } from '../../node/gateway/create-gateway.js'
import { plainText } from '../../node/plain-text.js'
import type { OperationName } from '../../protocol/operations.js'
import { names, port, someSeconds } from '../arguments.js'
import { CommandError, UsageError } from '../context.js'
import type { CliContext, CommandModule } from '../context.js'
import { createEventLines } from '../event-lines.js'
import { dashboardUrl } from '../../node/local/dashboard-url.js'
import { isGiven, localOptions, USUAL_PORT } from '../local-options.js'
import type { LocalFlags } from '../local-options.js'
import { checkChoices, readSecret } from '../serve-checks.js'
import type { ServeChoices } from '../serve-checks.js'
import { whyNotToServe } from '../served-folder.js'
import { startError } from '../start-failure.js'

interface ServeOptions extends ServeChoices, LocalFlags {
  readonly httpPort?: number
  readonly port: number
  readonly deny?: string[]
  readonly spa: boolean
  readonly isolate: boolean
  readonly autoHealth: boolean
  readonly allowHost?: string[]
  readonly timeout: number
  readonly yes: boolean
  readonly verbose: boolean
}

/** The exit code of a command that was misused, by the convention of sysexits.h. */
const MISUSED = 64

/** The options of the local sidecar inside. */
const insideOptions: readonly Option[] = [
  ...localOptions(),
  new Option('--http-port <port>', `port of the local sidecar itself (default: ${USUAL_PORT})`).argParser(port),
]

export const serveCommand: CommandModule = {
  define,
  run: (options, [dir = ''], context) => runServe(dir, options as unknown as ServeOptions, context),
}

function define(command: Command): void {
  command
    .argument('<dir>', 'the folder that holds the built page')
    .option('--port <port>', 'port of the page; 0 for any', port, 8080)
    .option('--sidecar <url>', 'URL of the sidecar (default: from AGONES_SDK_HTTP_PORT)')
    .option('--platform <name>', 'sets the names of variables and the prefix of labels, <name>.dev/sdk-', 'agones')
    .option('--timeout <seconds>', 'how long the sidecar may take to answer a call', someSeconds, 30)
    .option('--verbose', 'show every beat and every warning of the local sidecar', false)
    .optionsGroup('The page:')
    .option('--spa', 'answer paths without a file with index.html', false)
    .option('--isolate', 'send COOP and COEP, which SharedArrayBuffer needs', false)
    .option('--auto-health', 'turn on autoHealth for the client in the page', false)
    .option('--deny <operations>', 'refuse these operations, for example shutdown,allocate', names)
    .option('--yes', 'serve even a home directory or a folder of the system', false)
    .optionsGroup('Beyond this machine:')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--expose', 'allow a --host that other machines can reach', false)
    .option('--token [secret]', 'require this secret to use the sidecar; without a value, one is generated')
    .option('--allow-host <name>', 'also accept requests for this Host', names)
    .option('--allow-origin <origin>', 'also let pages of this origin use the sidecar', names)
    .option('--cert <file>', 'certificate as PEM, to speak HTTPS')
    .option('--key <file>', 'private key of the certificate, as PEM')
    .optionsGroup('With a sidecar of its own:')
    .option('--local', 'run a local sidecar inside, without a cluster', false)
  for (const option of insideOptions) command.addOption(option)
}

async function runServe(dir: string, options: ServeOptions, context: CliContext): Promise<number> {
  const stopped = context.untilStopped()
  const given = insideOptions.filter((option) => isGiven(option, options))
  checkChoices(
    options,
    process.env,
    given.map(({ long }) => long!),
  )
  const why = options.yes ? undefined : whyNotToServe(dir)
  if (why !== undefined) {
    context.warn(context.colors.red(why))
    return MISUSED
  }
  const gateway = await start(dir, options, context)
  printBanner(gateway, dir, options, context)
  const eventLines = createEventLines(context.colors, options.verbose)
  gateway.local?.sidecar.log.subscribe((entry) => eventLines(entry).forEach(context.print))
  await gateway.close(await stopped)
  return 0
}

async function start(dir: string, options: ServeOptions, context: CliContext): Promise<Gateway> {
  const { createGateway } = await import('../../node/gateway/create-gateway.js')
  const { mode, file, featureGates, wsLimit, quirks, replace, record, redact, dashboard, httpPort, host, cert, key } =
    options
  const onWarning = (message: string): void => context.warn(context.colors.yellow(`warning: ${plainText(message)}`))
  try {
    return await createGateway({
      dir,
      sidecar: options.sidecar,
      local: options.local && {
        mode,
        file,
        featureGates,
        wsLimit,
        quirks,
        record,
        redact,
        replace,
        dashboard,
        port: httpPort ?? 'usual',
        onWarning,
        onLog: context.warn,
      },
      platform: options.platform,
      port: options.port,
      host,
      deny: options.deny as OperationName[] | undefined,
      spa: options.spa,
      isolate: options.isolate,
      autoHealth: options.autoHealth || undefined,
      cert: cert === undefined ? undefined : readSecret('--cert', cert, dir),
      key: key === undefined ? undefined : readSecret('--key', key, dir),
      expose: options.expose,
      token: options.token,
      allowHosts: options.allowHost,
      allowOrigins: options.allowOrigin,
      timeout: options.timeout * 1000,
      onWarning,
      onLog: context.warn,
    })
  } catch (error) {
    if (error instanceof UsageError || error instanceof CommandError) throw error
    const { port: failed = options.port } = error as { readonly port?: number }
    const portFlag = failed === httpPort && failed !== options.port ? '--http-port' : '--port'
    const place = { port: failed, portFlag, address: host, addressFlag: '--host' }
    throw await startError(error, place)
  }
}

function printBanner(gateway: Gateway, dir: string, options: ServeOptions, { colors, print }: CliContext): void {
  const { local, token, sidecarUrl } = gateway
  const page = new URL(token === undefined ? '/' : `/?token=${token}`, gateway.url)
  print(`${colors.bold(plainText(dir))} at ${colors.cyan(page.href)}`)
  const kind = local === undefined ? 'Sidecar' : `Local sidecar (${local.mode} mode)`
  print(`${kind} at ${colors.cyan(sidecarUrl)}, for the page at /_/sidecar`)
  if (local !== undefined && options.dashboard !== false) print(`Dashboard at ${colors.cyan(dashboardUrl(local))}`)
  if (options.file !== undefined) print(`GameServer from ${plainText(options.file)}, loaded again when it is saved`)
  if (options.deny !== undefined) print(`Not forwarded: ${options.deny.join(', ')}`)
}
