import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** The built command line. */
export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

export interface Finished {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface Run {
  readonly child: ChildProcess
  /**
   * Resolves with the first line of standard output, past or future, that matches; rejects if it ends
   * without.
   */
  line(pattern: RegExp): Promise<RegExpExecArray>
  /** The same for standard error. */
  errorLine(pattern: RegExp): Promise<RegExpExecArray>
  readonly finished: Promise<Finished>
}

/** Starts the built command line as a process of its own, which ends with the test at the latest. */
export function cli(args: readonly string[], env: NodeJS.ProcessEnv = {}): Run {
  const own = { ...process.env, FORCE_COLOR: undefined, NO_COLOR: undefined, ...env }
  const child = spawn(process.execPath, [CLI, ...args], { env: own, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const out = collect(child.stdout)
  const err = collect(child.stderr)
  const finished = once(child, 'close').then(([code]) => ({
    code: code as number | null,
    out: out.lines.join('\n'),
    err: err.lines.join('\n'),
  }))
  const within = (output: Output) => (pattern: RegExp) =>
    Promise.race([
      output.find(pattern),
      finished.then(({ out, err }) => Promise.reject(new Error(`No line ${String(pattern)} in:\n${out}\n${err}`))),
    ])
  return { child, finished, line: within(out), errorLine: within(err) }
}

/** A local sidecar on any free port, from its first line on. */
export async function startLocal(
  args: readonly string[] = [],
  env?: NodeJS.ProcessEnv,
): Promise<Run & { readonly url: string }> {
  const run = cli(['local', '--http-port', '0', ...args], env)
  const match = await run.line(/SDK: +(http:\/\/\S+)/)
  return { ...run, url: match[1]! }
}

/** Takes away what this machine may say of a sidecar. */
export const NO_SIDECAR: NodeJS.ProcessEnv = { AGONES_SDK_HTTP_PORT: undefined, AGONES_SDK_HTTP_HOST: undefined }

interface Output {
  readonly lines: string[]
  find(pattern: RegExp): Promise<RegExpExecArray>
}

function collect(stream: NodeJS.ReadableStream): Output {
  const lines: string[] = []
  const reader = createInterface({ input: stream })
  reader.on('line', (line) => {
    lines.push(line)
    reader.emit('collected')
  })
  const find = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (let i = 0; ; i += 1) {
      while (lines[i] === undefined) await once(reader, 'collected')
      const match = pattern.exec(lines[i]!)
      if (match !== null) return match
    }
  }
  return { lines, find }
}

export { call, control, readGameServer } from '../tools/support.js'
