import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CliContext } from '../../src/cli/context.js'
import { runCli } from '../../src/cli/main.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** Runs `init` in a folder as the command line does. */
export async function init(into: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = []
  const err: string[] = []
  const plain = (text: string): string => text
  const context: CliContext = {
    colors: { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain },
    print: (line) => void out.push(line),
    warn: (line) => void err.push(line),
    version: () => '0.0.0',
    untilStopped: () => new Promise(() => undefined),
  }
  const code = await runCli(['init', '--yes', '--into', into, ...args], context)
  return { code, out: out.join('\n'), err: err.join('\n') }
}

export const project = (): Promise<string> => temporaryFolder('init')

export const packageJson = (folder: string, content: object): Promise<void> =>
  writeFile(join(folder, 'package.json'), JSON.stringify(content))
