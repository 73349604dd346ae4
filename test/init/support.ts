import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../support/temporary-folder.js'
import { run } from '../tools/support.js'

/** Runs `init` in a folder as the command line does. */
export const init = (into: string, ...args: string[]): Promise<{ code: number; out: string; err: string }> =>
  run('init', '--yes', '--into', into, ...args).finished

export const project = (): Promise<string> => temporaryFolder('init')

export const packageJson = (folder: string, content: object): Promise<void> =>
  writeFile(join(folder, 'package.json'), JSON.stringify(content))
