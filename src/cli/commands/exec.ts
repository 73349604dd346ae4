import { variablePrefix } from '../../local/gateway.js'
import { dashboardUrl, type LocalSidecar } from '../../local/sidecar.js'
import { plainText } from '../../local/files.js'
import { defineCommand, noticesOf, type CliContext, type Invocation } from '../context.js'
import { UsageError } from '../exit-codes.js'
import { eventPrinter, warningLines } from '../event-lines.js'
import { port, seconds } from '../flag-values.js'
import { option, toggle, under, type Values } from '../flags.js'
import { jsonEvent } from '../output.js'
import { attachSidecarKeys, hasKeys, openByFlag, sidecarKeyRow } from '../keys.js'
import { localFlags, localOptionsOf, logFormat, open, platform } from '../shared-flags.js'
import { failStart } from '../start-failure.js'

// An ended GameServer stays, so that tests can read it; --restart creates the next one.
const { replace: _, ...ofLocal } = localFlags

const flags = {
  restart: toggle('run the command again for a fresh GameServer, when its GameServer has ended'),
  keys: toggle('steer the sidecar by keys of the terminal; the command gets no input then'),
  grace: option('seconds', 'time from SIGTERM or SIGHUP to SIGKILL', seconds, { byDefault: 30 }),
  port: option('port', 'port of the sidecar; 0 for any (default: 9358 if it is free, else any)', port, { short: 'p' }),
  platform,
  logFormat,
  open,
  verbose: toggle('show on stderr what the sidecar is asked'),
  ...under('Of the local sidecar:', ofLocal),
}

type ExecFlags = Values<typeof flags>

export const command = defineCommand({
  args: '<command...>',
  usage: '[options] -- <command> [arguments...]',
  flags,
  run: runExec,
})

async function runExec({ args, flags: given, context }: Invocation<typeof flags>): Promise<number> {
  const orphaned = context.untilOrphaned()
  const [{ gameVariables, runCommand }, local] = await Promise.all([
    import('../../local/game.js'),
    startSidecar(given, context),
  ])
  const { colors } = context
  const isJson = given.logFormat === 'json'
  // stdout is the command's.
  const stderr = { ...context, print: context.warn }
  const say = (text: string): void =>
    context.warn(isJson ? jsonEvent('log', { text }) : colors.dim(`sidecar: ${plainText(text)}`))
  let detach: (() => void) | undefined
  try {
    const printEvent = eventPrinter(given, stderr)
    local.sidecar.log.subscribe((entry) => {
      if (given.verbose || isJson) printEvent(entry)
      else warningLines(colors, false, entry).forEach(context.warn)
    })
    const dashboard = given.dashboard ? dashboardUrl(local) : undefined
    const { url, port: listening } = local
    const at = dashboard === undefined ? '' : `, dashboard at ${dashboard}`
    if (isJson) context.warn(jsonEvent('listening', { url, port: listening, dashboard }))
    else say(`${url} (${variablePrefix(given.platform)}PORT=${listening})${at}`)
    if (given.open && dashboard !== undefined) openByFlag(dashboard, say)
    if (given.keys) detach = takeKeys(local, dashboard, context)
    const { PORT } = process.env
    const ownPort = PORT === undefined ? {} : { PORT }
    const { exitCode } = await runCommand({
      command: args as readonly [string, ...string[]],
      local,
      env: () => ({ ...process.env, ...gameVariables(local, given.platform), ...ownPort }),
      graceMs: given.grace * 1000,
      restarts: given.restart,
      stdin: given.keys ? 'ignore' : 'inherit',
      orphaned,
      say,
    })
    return exitCode
  } finally {
    detach?.()
    await local.close()
  }
}

/** A PORT of the environment is where the game serves players, so the GameServer has it too, unless it is 0: any. */
function playersPort(): number | undefined {
  const port = Number(process.env['PORT'])
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
}

/** @throws UsageError without a terminal */
function takeKeys(local: LocalSidecar, dashboard: string | undefined, { colors, warn }: CliContext): () => void {
  if (!hasKeys()) throw new UsageError('--keys needs a terminal; leave it out where there is none.')
  warn(sidecarKeyRow(dashboard, colors))
  // exec forwards the signal to the command.
  const quit = (): void => void process.kill(process.pid, 'SIGTERM')
  return attachSidecarKeys(local, dashboard, quit, { colors, print: warn })
}

async function startSidecar(given: ExecFlags, context: CliContext): Promise<LocalSidecar> {
  const { startLocalSidecar } = await import('../../local/sidecar.js')
  const { port, platform } = given
  const options = localOptionsOf(given, noticesOf(given.logFormat, { ...context, print: context.warn }))
  return startLocalSidecar({ ...options, platform, port: port ?? 'usual' }, { playersPort: playersPort() }).catch(
    failStart({ port: port ?? 0, portFlag: '--port' }),
  )
}
