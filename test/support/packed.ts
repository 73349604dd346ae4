import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './source.js'

const exec = promisify(execFile)

/** Removes itself when the test file is done: `await using folder = ...` isn't there in every runtime we test. */
export interface TemporaryFolder {
  path: string
  remove(): Promise<void>
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'gameserver-sidecar-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

export interface Packed {
  tarball: string
  /** Paths in the tarball, without its leading `package/`. */
  files: { path: string; size: number }[]
}

/** The tarball that would be published, made from `dist` as it is. */
export async function pack(folder: string): Promise<Packed> {
  const { stdout } = await npm(root, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder)
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string; size: number }[] }]
  return { tarball: join(folder, filename), files }
}

/** An empty project that has just installed the tarball, with the dependencies it brings. */
export async function install(folder: string, tarball: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true }))
  await npm(folder, 'install', tarball, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error')
}

/** A folder of its own with such a project. */
export async function installedFolder(): Promise<TemporaryFolder> {
  const folder = await temporaryFolder()
  await install(folder.path, (await pack(folder.path)).tarball)
  return folder
}

const npm = (cwd: string, ...args: string[]) => exec('npm', args, { cwd, maxBuffer: 16 * 1024 * 1024 })

/** Runs Node in a folder, and gives what it printed. Fails unless Node ends by itself with 0, and in time. */
export async function node(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await exec(process.execPath, args, { cwd, timeout: 60_000 })
  return stdout.trim()
}

/** Runs Node in a folder, and gives what it printed and the code it ended with, also if it failed. */
export function runNode(cwd: string, args: string[]): Promise<{ stdout: string; stderr: string; code: number | null }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd, timeout: 60_000 }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr, code: child.exitCode }),
    )
  })
}
