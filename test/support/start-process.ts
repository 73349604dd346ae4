import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { TestContext } from 'vitest'
import { createSeen } from './seen.js'

/** The context of a test, whose end stops what the test started. */
export type Cleanup = Pick<TestContext, 'onTestFinished'>

/** A process of a test, such as a game server. */
export interface GameProcess {
  /** The output so far, from stdout and stderr. */
  readonly lines: readonly string[]
  /** Resolves with the first matching line, past or future. Rejects if the process ends first. `from`: lines to skip */
  line(pattern: RegExp, from?: number): Promise<RegExpExecArray>
  /** Sends a signal, and resolves with the exit code, which is null after SIGKILL. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** The exit code, null if a signal ended it. */
  readonly exited: Promise<number | null>
}

/** Starts a command in a folder. The end of the test stops it. */
export function startProcess(
  { onTestFinished }: Cleanup,
  folder: string,
  [program, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv = {},
): GameProcess {
  // Leaves out variables of this machine's sidecar and of the npm that runs the tests.
  const inherited = Object.entries(process.env).filter(([name]) => !/^(AGONES_|npm_|NODE_ENV|VITEST)/.test(name))
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), FORCE_COLOR: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines = createSeen<string>()
  // On a busy machine a sidecar may answer late, which the client says.
  const add = (line: string): void => void (/: no answer from .* yet, still trying$/.test(line) || lines.add(line))
  for (const output of [child.stdout, child.stderr]) createInterface({ input: output }).on('line', add)
  const exited = once(child, 'close').then(([code]) => {
    lines.end()
    return code as number | null
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return {
    lines: lines.all,
    line: (pattern, from) => lines.find((line) => pattern.exec(line), from),
    end: (signal) => {
      child.kill(signal)
      return exited
    },
    exited,
  }
}
