import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './source.js'
import { sharedFolder, type TemporaryFolder } from './temporary-folder.js'

const exec = promisify(execFile)

export interface Packed {
  tarball: string
  /** Paths in the tarball, without its leading `package/`. */
  files: { path: string; size: number }[]
}

/** Packs the tarball for a release from the present `dist`. */
export async function pack(folder: string): Promise<Packed> {
  const { stdout } = await npm(root, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder)
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string; size: number }[] }]
  return { tarball: join(folder, filename), files }
}

/** Creates a project and installs the tarball with its dependencies there. */
export async function install(folder: string, tarball: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true }))
  await npm(folder, 'install', tarball, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error')
}

/** Creates such a project in a folder of its own. */
export async function installedFolder(): Promise<TemporaryFolder> {
  const folder = await sharedFolder('consumer')
  await install(folder.path, (await pack(folder.path)).tarball)
  return folder
}

const npm = (cwd: string, ...args: string[]) => exec('npm', args, { cwd, maxBuffer: 16 * 1024 * 1024 })

/** Runs Node in a folder and returns its output. Throws unless Node exits with 0 in time. */
export async function node(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await exec(process.execPath, args, { cwd, timeout: 60_000 })
  return stdout.trim()
}

/** Runs Node in a folder and returns its output and exit code. */
export function runNode(cwd: string, args: string[]): Promise<{ stdout: string; stderr: string; code: number | null }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd, timeout: 60_000 }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr, code: child.exitCode }),
    )
  })
}
