import { failStart } from '../exit-codes.js'
import { variablePrefix } from '../../local/gateway.js'
import { dashboardUrl, type LocalSidecar } from '../../local/sidecar.js'
import { plainText } from '../../local/files.js'
import { defineCommand, noticesOf, type CliContext, type Invocation } from '../context.js'
import { eventPrinter, warningLines } from '../event-lines.js'
import { option, toggle, under, type Values, port, seconds } from '../flags.js'
import { jsonEvent } from '../output.js'
import { openByFlag } from '../open-browser.js'
import { localFlags, localOptionsOf, logFormat, open, platform } from '../shared-flags.js'

// An ended GameServer stays, so that tests can read it; --restart creates the next one.
const { replace: _, ...ofLocal } = localFlags

const flags = {
  restart: toggle('run the command again for a fresh GameServer, when its GameServer has ended'),
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
  const { colors, warn } = context
  // stdout is the command's.
  const stderr = { ...context, print: warn }
  const [{ gameVariables, runCommand }, local] = await Promise.all([
    import('../../local/game.js'),
    startSidecar(given, stderr),
  ])
  const isJson = given.logFormat === 'json'
  const say = (text: string): void =>
    warn(isJson ? jsonEvent('log', { text }) : colors.dim(`sidecar: ${plainText(text)}`))
  try {
    const printEvent = eventPrinter(given, stderr)
    local.sidecar.log.subscribe((entry) => {
      if (given.verbose || isJson) printEvent(entry)
      else warningLines(colors, false, entry).forEach(warn)
    })
    const dashboard = given.dashboard ? dashboardUrl(local) : undefined
    const { url, port: listening } = local
    const at = dashboard === undefined ? '' : `, dashboard at ${dashboard}`
    if (isJson) warn(jsonEvent('listening', { url, port: listening, dashboard }))
    else say(`${url} (${variablePrefix(given.platform)}PORT=${listening})${at}`)
    if (given.open && dashboard !== undefined) openByFlag(dashboard, say)
    const { PORT } = process.env
    const ownPort = PORT === undefined ? {} : { PORT }
    const { exitCode } = await runCommand({
      command: args as readonly [string, ...string[]],
      local,
      env: () => ({ ...process.env, ...gameVariables(local, given.platform), ...ownPort }),
      graceMs: given.grace * 1000,
      restarts: given.restart,
      orphaned,
      say,
    })
    return exitCode
  } finally {
    await local.close()
  }
}

async function startSidecar(given: ExecFlags, stderr: CliContext): Promise<LocalSidecar> {
  const { startLocalSidecar } = await import('../../local/sidecar.js')
  const { port, platform } = given
  const options = {
    ...localOptionsOf(given, noticesOf(given.logFormat, stderr)),
    platform,
    port: port ?? 'usual',
  } as const
  // A PORT of the environment is where the game serves players, so the GameServer has it too, unless it is 0: any.
  const playersPort = Number(process.env['PORT'])
  const settings = Number.isInteger(playersPort) && playersPort > 0 && playersPort < 65_536 ? { playersPort } : {}
  return startLocalSidecar(options, settings).catch(failStart({ port: port ?? 0, portFlag: '--port' }))
}
