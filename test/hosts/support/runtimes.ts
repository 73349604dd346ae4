import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../support/source.js'

const packages = join(root, 'test/hosts/runtimes/node_modules')

/** A file of test/hosts/runtimes; undefined where it isn't installed or isn't made for this machine. */
export function runtimeFile(path: string): string | undefined {
  const file = join(packages, path)
  return existsSync(file) ? file : undefined
}

export const guestPath = (name: string): string => join(root, 'test/hosts/guest', name)

/** What a process printed as its last line, as JSON. Fails unless it ends by itself with 0, and in time. */
export async function runProcess(
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const { stdout } = await promisify(execFile)(command, args, {
    timeout: 60_000,
    killSignal: 'SIGKILL',
    ...options,
    env: { ...process.env, ...options.env },
  })
  return JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as unknown
}
