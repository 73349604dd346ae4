import { onTestFinished } from 'vitest'
import type { CliContext } from '../../src/cli/context.js'
import { runCli } from '../../src/cli/main.js'

export interface CommandRun {
  readonly finished: Promise<{ readonly code: number; readonly out: string; readonly err: string }>
  readonly out: readonly string[]
  readonly err: readonly string[]
  /** Resolves once a line of stdout matches. */
  line(pattern: RegExp): Promise<string>
  stop(signal: string): void
}

const plain = (text: string): string => text

/** Runs a command within this process, without colours. It is stopped with the test. */
export function run(...args: readonly string[]): CommandRun {
  const out: string[] = []
  const err: string[] = []
  const looks = new Set<() => void>()
  let stop!: (signal: string) => void
  const stopped = new Promise<string>((resolve) => (stop = resolve))
  const write = (lines: string[]) => (line: string) => {
    lines.push(...line.split('\n'))
    looks.forEach((look) => look())
  }
  const context: CliContext = {
    colors: { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain },
    print: write(out),
    warn: write(err),
    version: () => '0.1.0',
    untilStopped: () => stopped,
  }
  const finished = runCli(args, context).then((code) => ({ code, out: out.join('\n'), err: err.join('\n') }))
  onTestFinished(() => stop('SIGTERM'))
  return {
    finished,
    out,
    err,
    line: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = out.find((line) => pattern.test(line))
          if (found !== undefined) resolve(found)
        }
        looks.add(look)
        look()
      }),
    stop,
  }
}
