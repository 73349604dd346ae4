import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { createSeen, type Seen } from '../support/seen.js'
import { NO_SIDECAR } from './support.js'

/** util-linux's program that gives a command a terminal of its own; that of other systems has other options. */
export const hasTerminals =
  process.platform === 'linux' && spawnSync('script', ['--version']).stdout?.includes('util-linux')

export interface Terminal {
  readonly child: ChildProcess
  /** Resolves with the first match in all that was shown. */
  shows(pattern: RegExp): Promise<RegExpExecArray>
  /** The exit code of the command. */
  readonly ended: Promise<unknown>
}

/** Runs a command of a shell in a terminal. */
export function openTerminal(command: string, env: NodeJS.ProcessEnv = {}): Terminal {
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...process.env, ...NO_SIDECAR, FORCE_COLOR: undefined, NO_COLOR: '1', ...env },
    stdio: 'pipe',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const shown: Seen<string> = createSeen()
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => shown.add((text += part.replaceAll('\r\n', '\n'))))
  const ended = once(child, 'close').then(([code]) => {
    shown.end()
    return code as unknown
  })
  return { child, ended, shows: (pattern) => shown.find((text) => pattern.exec(text)) }
}
