import { writeFile } from 'node:fs/promises'
import type { LoadedScenario } from '../../node/scenario/load-scenario.js'
import { plainText } from '../../node/plain-text.js'
import { defineCommand, UsageError, warningsOf } from '../context.js'
import type { CliContext } from '../context.js'
import { EXIT, exitOfSignal } from '../exit-codes.js'
import { port, seconds, someSeconds } from '../flag-values.js'
import { oneOf, option, text, withDefault } from '../flags.js'
import type { Values } from '../flags.js'
import { localFlags, PORT_NAMES } from '../local-flags.js'
import type { Played } from '../scenario-reports.js'
import { startFailure } from '../start-failure.js'
import { pick } from '../usage.js'

const actions = ['run', 'check']

// The scenario's file sets the other options of the sidecar.
const { record, redact, noDashboard } = localFlags

const flags = {
  reporter: oneOf('format', 'form of the report', ['text', 'junit', 'json'], 'text'),
  output: text('file', 'write the report there, and text on stdout'),
  time: text('time', 'real, or a speed such as x10, in place of what the files say'),
  timeout: option('seconds', 'end with code 75 after this long', someSeconds),
  grace: withDefault(
    option('seconds', 'time from SIGTERM to SIGKILL for the game when its scenario is over', seconds),
    10,
  ),
  httpPort: option('port', 'port of the sidecar (default: any with a command, else 9358)', port, PORT_NAMES),
  ...{ record, redact, noDashboard },
}

type ScenarioFlags = Values<typeof flags>

export const command = defineCommand({
  args: '<action> [files...]',
  usage: '<run|check> <files...> [options] [-- <command> [arguments...]]',
  flags,
  async run({ args, flags: given, behind, context }) {
    const [action = '', ...files] = args.slice(0, args.length - behind.length)
    pick('action of scenario', action, actions)
    if (files.length === 0)
      throw new UsageError(`Name a scenario's file: gameserver-sidecar scenario ${action} <file>.`)
    const { loaded, code } = await load(files, context)
    if (action === 'check') sayFine(loaded, context)
    if (code !== undefined || action === 'check') return code ?? EXIT.DONE
    return play(loaded, given, behind, context)
  },
})

interface Loaded {
  readonly loaded: readonly LoadedScenario[]
  /** The exit code where a file has a mistake. */
  readonly code: number | undefined
}

/** Reads all files, and prints the first mistake of each. */
async function load(files: readonly string[], { colors, warn }: CliContext): Promise<Loaded> {
  const { loadScenario, ScenarioFileError } = await import('../../node/scenario/load-scenario.js')
  const loaded: LoadedScenario[] = []
  let code: number | undefined
  for (const file of files) {
    try {
      loaded.push(await loadScenario(file))
    } catch (error) {
      if (!(error instanceof ScenarioFileError)) throw error
      warn(colors.red(error.message))
      code ??= error.isMissing ? EXIT.NO_FILE : EXIT.FAILED
    }
  }
  return { loaded, code }
}

function sayFine(all: readonly LoadedScenario[], { colors, print }: CliContext): void {
  for (const { file, scenario } of all) {
    const { length } = scenario.steps
    print(`${colors.green('✓')} ${plainText(file)}  ${length} ${length === 1 ? 'step' : 'steps'}`)
  }
}

async function play(
  all: readonly LoadedScenario[],
  given: ScenarioFlags,
  command: readonly string[],
  context: CliContext,
): Promise<number> {
  const speeds = all.map((loaded) => speedOf(loaded, given.time))
  const { playScenario } = await import('../../node/scenario/play.js')
  const { CommandError } = await import('../../node/exec/start-command.js')
  const reports = await import('../scenario-reports.js')
  const { colors, print, warn } = context
  const isText = given.reporter === 'text' || given.output !== undefined
  const say = isText ? print : () => undefined
  const stop = new AbortController()
  let code: number | undefined
  const end = (exitCode: number, message: string): void => {
    code ??= exitCode
    stop.abort(new Error(message))
  }
  void context.untilStopped().then((signal) => end(exitOfSignal(signal), `the run was stopped by ${signal}`))
  const { timeout } = given
  const timer = timeout && setTimeout(() => end(EXIT.TIME_OVER, `${timeout} s were over`), timeout * 1000)
  const [program, ...args] = command
  const httpPort = given.httpPort ?? (program === undefined ? 9358 : 0)
  const played: Played[] = []
  try {
    for (const [index, loaded] of all.entries()) {
      if (stop.signal.aborted) break
      const { file, scenario, lines } = loaded
      say(reports.scenarioLine(scenario.name ?? file, file, colors))
      const result = await playScenario(loaded, {
        command: program === undefined ? undefined : [program, ...args],
        speed: speeds[index]!,
        sidecar: { port: httpPort, record: given.record, redact: given.redact, dashboard: !given.noDashboard },
        graceMs: given.grace * 1000,
        signal: stop.signal,
        onStart: ({ url }) => {
          if (program === undefined) warn(colors.dim(`sidecar: ${url}; start your game, or give its command after --`))
        },
        onStep: (step) => say(reports.stepLine(step, colors)),
        onWarning: warningsOf(context),
      })
      played.push({ file, lines, result: { ...result, name: scenario.name ?? file } })
      reports.failureLines(played.at(-1)!, colors).forEach(say)
    }
  } catch (error) {
    if (error instanceof CommandError) {
      warn(colors.red(plainText(error.message)))
      return error.exitCode === 127 ? EXIT.NO_FILE : EXIT.USAGE
    }
    const { code: reason } = error as NodeJS.ErrnoException
    if (reason === undefined || !/^EA/.test(reason)) throw error
    warn(colors.red(startFailure(error, { port: httpPort, portFlag: '--http-port' })))
    return EXIT.NO_SIDECAR
  } finally {
    clearTimeout(timer)
  }
  say(reports.totalLine(played, colors))
  await report(reports[`${given.reporter}Report`](played), given, context)
  return code ?? (played.every(({ result }) => result.ok) ? EXIT.DONE : EXIT.FAILED)
}

function speedOf({ file, scenario }: LoadedScenario, flag: string | undefined): number {
  const time = flag ?? scenario.time ?? 'real'
  const speed = time === 'real' ? 1 : Number(/^x(\d{1,4})$/.exec(time)?.[1] ?? 0)
  if (speed >= 1 && speed <= 1000) return speed
  if (time === 'virtual' && flag === undefined) {
    throw new UsageError(
      `${file} has "time: virtual", which works only in a test with a mock; add --time real or --time x10.`,
    )
  }
  throw new UsageError(`--time must be real or a speed from x1 to x1000; got ${JSON.stringify(time)}.`)
}

async function report(text: string, { output, reporter }: ScenarioFlags, { print }: CliContext): Promise<void> {
  if (output !== undefined) await writeFile(output, text)
  else if (reporter !== 'text') print(text.trimEnd())
}
