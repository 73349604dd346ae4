import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { createSeen, type Seen } from '../support/seen.js'
import type { CommandRun } from '../tools/support.js'

/** The built command line. */
export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

export interface Run extends Pick<CommandRun, 'line' | 'errorLine'> {
  readonly child: ChildProcess
  readonly finished: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>
}

/** Starts the built command line as a process of its own, which ends with the test at the latest. */
export const cli = (args: readonly string[], env?: NodeJS.ProcessEnv): Run => runScript(CLI, args, env)

/** Starts another program of this package in the same way. */
export function runScript(path: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Run {
  const own = { ...process.env, FORCE_COLOR: undefined, NO_COLOR: undefined, ...env }
  const child = spawn(process.execPath, [path, ...args], { env: own, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    const lines = createSeen<string>()
    createInterface({ input: stream }).on('line', lines.add)
    return lines
  }) as [Seen<string>, Seen<string>]
  const finished = once(child, 'close').then(([code]) => {
    out.end()
    err.end()
    return { code: code as number | null, out: out.all.join('\n'), err: err.all.join('\n') }
  })
  return {
    child,
    finished,
    line: (pattern) => out.find((line) => pattern.exec(line)),
    errorLine: (pattern) => err.find((line) => pattern.exec(line)),
  }
}

/** A local sidecar on any free port, from its first line on. */
export async function startLocal(
  args: readonly string[] = [],
  env?: NodeJS.ProcessEnv,
): Promise<Run & { readonly url: string }> {
  const run = cli(['local', '--port', '0', ...args], env)
  const match = await run.line(/SDK: +(http:\/\/\S+)/)
  return { ...run, url: match[1]! }
}

/** Takes away what this machine may say of a sidecar. */
export const NO_SIDECAR: NodeJS.ProcessEnv = { AGONES_SDK_HTTP_PORT: undefined, AGONES_SDK_HTTP_HOST: undefined }

export { call, control, readGameServer } from '../tools/support.js'
