import picocolors from 'picocolors'
import { beforeEach, expect, onTestFinished, vi } from 'vitest'
import type { CliContext } from '../../src/cli/context.js'
import { runCli } from '../../src/cli/main.js'
import type { GameServer } from '../../src/protocol/game-server.js'
import { createSeen } from '../support/seen.js'

export interface CommandRun {
  readonly finished: Promise<{ readonly code: number; readonly out: string; readonly err: string }>
  /** Resolves with the first line of stdout that matches, past or future; rejects if the command ends without. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  /** The same for stderr. */
  errorLine(pattern: RegExp): Promise<RegExpExecArray>
  stop(signal: string): void
}

/** Runs a command within this process, without colours. It is stopped with the test. */
export function run(...args: readonly string[]): CommandRun {
  const out = createSeen<string>()
  const err = createSeen<string>()
  let stop!: (signal: string) => void
  const stopped = new Promise<string>((resolve) => (stop = resolve))
  const context: CliContext = {
    colors: picocolors.createColors(false),
    print: (line) => line.split('\n').forEach(out.add),
    warn: (line) => line.split('\n').forEach(err.add),
    version: () => '0.1.0',
    untilOrphaned: () => new Promise(() => undefined),
    untilStopped: () => stopped,
  }
  const finished = runCli(args, context).then((code) => {
    out.end()
    err.end()
    return { code, out: out.all.join('\n'), err: err.all.join('\n') }
  })
  onTestFinished(async () => {
    stop('SIGTERM')
    await finished
  })
  return {
    finished,
    line: (pattern) => out.find((line) => pattern.exec(line)),
    errorLine: (pattern) => err.find((line) => pattern.exec(line)),
    stop,
  }
}

/** Takes away what this machine says of a sidecar, for each test of a file. */
export const forgetSidecar = (): void =>
  beforeEach(() => {
    vi.stubEnv('AGONES_SDK_HTTP_PORT', undefined)
    return () => vi.unstubAllEnvs()
  })

/** A command that ends by itself with one sentence on stderr, nothing on stdout, and this exit code. */
export async function expectRefusal(args: readonly string[], sentence: RegExp, code = 64): Promise<void> {
  const result = await run(...args).finished
  expect(result.err).toMatch(sentence)
  expect(result.err).not.toContain('\n')
  expect({ out: result.out, code: result.code }).toEqual({ out: '', code })
}

/** A local sidecar on any free port, from its first line on. */
export async function startLocal(...args: readonly string[]): Promise<CommandRun & { readonly url: string }> {
  const local = run('local', '--port', '0', ...args)
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
