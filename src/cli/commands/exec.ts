import { sidecarVariables, variablePrefix } from '../../local/gateway.js'
import { dashboardUrl } from '../../local/sidecar.js'
import type { LocalSidecar } from '../../local/sidecar.js'
import { plainText } from '../../local/files.js'
import type { LogEntry } from '../../platform/sidecar.js'
import { defineCommand, UsageError, warningsOf } from '../context.js'
import type { CliContext } from '../context.js'
import { createEventLines, warningLines } from '../event-lines.js'
import { announceSidecar } from '../find-sidecar.js'
import { port, seconds } from '../flag-values.js'
import { option, toggle, under, withDefault } from '../flags.js'
import type { Values } from '../flags.js'
import { localFlags, localOptionsOf, platform, PORT_NAMES } from '../local-flags.js'
import { failStart } from '../start-failure.js'

// An ended GameServer stays, so that tests can read it; --restart creates the next one.
const { noReplace: _, ...ofLocal } = localFlags

const flags = {
  restart: toggle('run the command again for a fresh GameServer, when its GameServer has ended'),
  keys: toggle('steer the sidecar by keys of the terminal; the command gets no input then'),
  grace: withDefault(option('seconds', 'time from SIGTERM or SIGHUP to SIGKILL', seconds), 30),
  httpPort: option('port', 'port of the sidecar; 0 for any (default: 9358 if it is free, else any)', port, PORT_NAMES),
  platform,
  verbose: toggle('show on stderr what the sidecar is asked'),
  ...under('Of the local sidecar:', ofLocal),
}

type ExecFlags = Values<typeof flags>

export const command = defineCommand({
  args: '<command...>',
  usage: '[options] -- <command> [arguments...]',
  flags,
  run: ({ args, flags: given, context }) => runExec(args, given, context),
})

async function runExec(args: readonly string[], given: ExecFlags, context: CliContext): Promise<number> {
  const orphaned = context.untilOrphaned()
  const [{ runCommand }, local] = await Promise.all([import('../../local/game.js'), startSidecar(given, context)])
  announceSidecar(local.url)
  const { colors } = context
  const say = (sentence: string): void => context.warn(colors.dim(`sidecar: ${plainText(sentence)}`))
  let detach: (() => void) | undefined
  try {
    const linesOf = given.verbose
      ? createEventLines(colors, true)
      : (entry: LogEntry): string[] => warningLines(colors, false, entry)
    local.sidecar.log.subscribe((entry) => linesOf(entry).forEach(context.warn))
    const dashboard = given.noDashboard ? undefined : dashboardUrl(local)
    say(
      `${local.url} (${variablePrefix(given.platform)}PORT=${local.port})${dashboard === undefined ? '' : `, dashboard at ${dashboard}`}`,
    )
    if (given.keys) detach = await takeKeys(local, dashboard, context)
    const { exitCode } = await runCommand({
      command: args as readonly [string, ...string[]],
      local,
      env: { ...process.env, ...sidecarVariables(given.platform, new URL(local.url)) },
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

/** @throws UsageError without a terminal */
async function takeKeys(
  local: LocalSidecar,
  dashboard: string | undefined,
  { colors, warn }: CliContext,
): Promise<() => void> {
  const { attachKeys, hasKeys, keyRow } = await import('../keys.js')
  if (!hasKeys()) throw new UsageError('--keys needs a terminal; leave it out where there is none.')
  warn(keyRow(colors, dashboard !== undefined))
  // exec forwards the signal to the command.
  const onQuit = (): void => void process.kill(process.pid, 'SIGTERM')
  return attachKeys({ local, dashboard, colors, print: warn, onQuit })
}

async function startSidecar(given: ExecFlags, context: CliContext): Promise<LocalSidecar> {
  const { createLocalSidecar } = await import('../../local/sidecar.js')
  const { httpPort } = given
  return createLocalSidecar({
    ...localOptionsOf(given, warningsOf(context), context.warn),
    platform: given.platform,
    port: httpPort ?? 'usual',
  }).catch(failStart({ port: httpPort ?? 0, portFlag: '--http-port' }))
}
