import type { Option } from 'commander'
import type { Command } from 'commander'
import { variablePrefix } from '../../node/gateway/sidecar-url.js'
import type { LocalSidecar } from '../../node/local/local-sidecar.js'
import { plainText } from '../../node/plain-text.js'
import type { LogEntry } from '../../sidecar/index.js'
import { port, seconds } from '../arguments.js'
import { UsageError } from '../context.js'
import type { CliContext, CommandModule } from '../context.js'
import { createEventLines, warningLines } from '../event-lines.js'
import { dashboardUrl } from '../../node/local/dashboard-url.js'
import { localOptions, USUAL_PORT } from '../local-options.js'
import type { LocalFlags } from '../local-options.js'
import { startError } from '../start-failure.js'

interface ExecFlags extends LocalFlags {
  readonly httpPort?: number
  readonly platform: string
  readonly grace: number
  readonly restart: boolean
  readonly keys: boolean
  readonly verbose: boolean
}

export const execCommand: CommandModule = {
  define,
  run: (options, args, context) => runExec(args, options as unknown as ExecFlags, context),
}

function define(command: Command): void {
  command
    .usage('[options] -- <command> [arguments...]')
    .argument('<command...>', 'the command and its arguments, after --')
    .option('--restart', 'run the command again for a fresh GameServer, when its GameServer has ended', false)
    .option('--keys', 'steer the sidecar by keys of the terminal; the command gets no input then', false)
    .option('--grace <seconds>', 'time from SIGTERM or SIGHUP to SIGKILL', seconds, 30)
    .option('--http-port <port>', `port of the sidecar; 0 for any (default: ${USUAL_PORT})`, port)
    .option('--platform <name>', 'prefix of labels and annotations, <name>.dev/sdk-', 'agones')
    .option('--verbose', 'show on stderr what the sidecar is asked', false)
  // An ended GameServer stays, so that tests find it; --restart brings the next.
  const options = localOptions().filter(({ long }) => long !== '--no-replace')
  for (const option of options) command.addOption(asOfLocal(option))
}

const asOfLocal = (option: Option): Option => option.helpGroup('Of the local sidecar:')

async function runExec(args: readonly string[], flags: ExecFlags, context: CliContext): Promise<number> {
  const [{ runCommand }, local] = await Promise.all([
    import('../../node/exec/run-command.js'),
    startSidecar(flags, context),
  ])
  const { colors } = context
  const say = (text: string): void => context.warn(colors.dim(`sidecar: ${plainText(text)}`))
  let detach: (() => void) | undefined
  try {
    const linesOf = flags.verbose
      ? createEventLines(colors, true)
      : (entry: LogEntry): string[] => warningLines(colors, false, entry)
    local.sidecar.log.subscribe((entry) => linesOf(entry).forEach(context.warn))
    const prefix = variablePrefix(flags.platform)
    const page = flags.dashboard === false ? '' : `, dashboard at ${dashboardUrl(local)}`
    say(`${local.url} (${prefix}PORT=${local.port})${page}`)
    if (flags.keys) detach = await takeKeys(local, flags.dashboard !== false, context)
    const { exitCode } = await runCommand({
      command: args as readonly [string, ...string[]],
      local,
      env: { ...process.env, [`${prefix}PORT`]: String(local.port), [`${prefix}HOST`]: '127.0.0.1' },
      graceMs: flags.grace * 1000,
      restarts: flags.restart,
      stdin: flags.keys ? 'ignore' : 'inherit',
      say,
    })
    return exitCode
  } finally {
    detach?.()
    await local.close()
  }
}

/** @throws UsageError where no terminal is */
async function takeKeys(local: LocalSidecar, dashboard: boolean, { colors, warn }: CliContext): Promise<() => void> {
  const { attachKeys, hasKeys, keyRow } = await import('../keys.js')
  if (!hasKeys()) throw new UsageError('--keys needs a terminal; leave it out where there is none.')
  warn(keyRow(colors, dashboard))
  return attachKeys({
    local,
    dashboard: dashboard ? dashboardUrl(local) : undefined,
    colors,
    print: warn,
    // It is passed on as if it had come from outside.
    onQuit: () => void process.kill(process.pid, 'SIGTERM'),
  })
}

async function startSidecar(flags: ExecFlags, { colors, warn }: CliContext): Promise<LocalSidecar> {
  const { createLocalSidecar } = await import('../../node/local/local-sidecar.js')
  const { mode, file, platform, quirks, featureGates, wsLimit, record, redact, dashboard, httpPort = 'usual' } = flags
  const onWarning = (message: string): void => warn(colors.yellow(`warning: ${plainText(message)}`))
  try {
    return await createLocalSidecar({
      ...{ mode, file, platform, quirks, featureGates, wsLimit, record, redact, dashboard },
      port: httpPort,
      onWarning,
      onLog: warn,
    })
  } catch (error) {
    throw await startError(error, {
      port: flags.httpPort ?? 0,
      portFlag: '--http-port',
      address: '127.0.0.1',
      addressFlag: '--http-port',
    })
  }
}
