import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../support/source.js'

export interface Finished {
  readonly code: number | null
  readonly lines: string[]
  readonly errors: string
}

export interface RunningDemo {
  readonly child: ChildProcess
  readonly finished: Promise<Finished>
  /** Resolves when the demo has printed that; rejects if the demo ends before. */
  said(text: RegExp): Promise<RegExpExecArray>
}

/** Starts a demo, or another program of this package, as `npm run` does, without a terminal. */
export function startProgram(
  script: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): RunningDemo {
  const child = spawn(process.execPath, [join(root, script), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, lines: output.trimEnd().split('\n'), errors }))
  })
  return {
    child,
    finished,
    said: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = text.exec(output)
          if (found !== null) resolve(found)
        }
        child.stdout.on('data', look)
        look()
        finished.then(() => reject(new Error(`It ended without saying ${String(text)}: ${errors}`)), reject)
      }),
  }
}

/** The expected patterns that match lines, in the order of the lines. */
export function inOrder(lines: readonly string[], expected: readonly RegExp[]): RegExp[] {
  let from = 0
  return expected.filter((pattern) => {
    const found = lines.findIndex((line, i) => i >= from && pattern.test(line))
    if (found >= 0) from = found + 1
    return found >= 0
  })
}
