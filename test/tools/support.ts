import { expect, onTestFinished } from 'vitest'
import type { CliContext } from '../../src/cli/context.js'
import { runCli } from '../../src/cli/main.js'
import type { GameServer } from '../../src/protocol/game-server.js'

export interface CommandRun {
  readonly finished: Promise<{ readonly code: number; readonly out: string; readonly err: string }>
  /** Resolves with the first line of stdout that matches, past or future; rejects if the command ends without. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  /** The same for stderr. */
  errorLine(pattern: RegExp): Promise<RegExpExecArray>
  stop(signal: string): void
}

const plain = (text: string): string => text

/** Runs a command within this process, without colours. It is stopped with the test. */
export function run(...args: readonly string[]): CommandRun {
  const out: string[] = []
  const err: string[] = []
  const looks = new Set<() => void>()
  let stop!: (signal: string) => void
  let isOver = false
  const stopped = new Promise<string>((resolve) => (stop = resolve))
  const wake = (): void => looks.forEach((look) => look())
  const write = (lines: string[]) => (line: string) => {
    lines.push(...line.split('\n'))
    wake()
  }
  const context: CliContext = {
    colors: { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain },
    print: write(out),
    warn: write(err),
    version: () => '0.1.0',
    untilStopped: () => stopped,
  }
  const finished = runCli(args, context).then((code) => {
    isOver = true
    wake()
    return { code, out: out.join('\n'), err: err.join('\n') }
  })
  onTestFinished(async () => {
    stop('SIGTERM')
    await finished
  })
  const within = (lines: readonly string[]) => (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      let read = 0
      const look = (): void => {
        for (; read < lines.length; read += 1) {
          const match = pattern.exec(lines[read]!)
          if (match !== null) return resolve(match)
        }
        if (isOver) reject(new Error(`No line ${String(pattern)} in:\n${[...out, ...err].join('\n')}`))
      }
      looks.add(look)
      look()
    })
  return { finished, line: within(out), errorLine: within(err), stop }
}

/** A command that ends by itself with one sentence on stderr, nothing on stdout, and this exit code. */
export async function expectRefusal(args: readonly string[], sentence: RegExp, code = 64): Promise<void> {
  const result = await run(...args).finished
  expect(result.err).toMatch(sentence)
  expect(result.err).not.toContain('\n')
  expect({ out: result.out, code: result.code }).toEqual({ out: '', code })
}

/** A local sidecar on any free port, from its first line on. */
export async function startLocal(...args: readonly string[]): Promise<CommandRun & { readonly url: string }> {
  const local = run('local', '--http-port', '0', ...args)
  const [, url] = await local.line(/SDK: +(http:\/\/\S+)/)
  return { ...local, url: url! }
}

/** Calls an operation as a game server does. */
export const call = (url: string, path: string, body: unknown = {}, method = 'POST'): Promise<Response> =>
  fetch(`${url}${path}`, {
    method,
    ...(method === 'GET' ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })

/** The GameServer as it is now. */
export const readGameServer = async (url: string): Promise<GameServer> =>
  (await call(url, '/gameserver', undefined, 'GET')).json() as Promise<GameServer>

/** Sends a command to a control interface. */
export const control = (url: string, command: object): Promise<Response> =>
  fetch(`${url}/_/api/commands`, {
    method: 'POST',
    headers: { 'x-sidecar-control': '1' },
    body: JSON.stringify(command),
  })
