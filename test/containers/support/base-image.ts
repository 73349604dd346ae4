import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, copyFile, cp, mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const exec = promisify(execFile)
const SUITE = 'bookworm'

/** A command whose mounts and processes end with this process, however it ends. */
export const contained = (command: readonly string[]): string[] => [
  ...['setpriv', '--pdeathsig=KILL'],
  ...['unshare', '--mount', '--mount-proc', '--pid', '--fork', '--kill-child'],
  ...command,
]

/** Makes a small Debian with this machine's Node and npm, which stands for the image that Dockerfiles begin with. */
export async function makeDebian(root: string): Promise<void> {
  const [command, ...args] = contained(['debootstrap', '--variant=minbase', SUITE, root])
  await exec(command!, args, { maxBuffer: 1 << 24 })
  await addSources(root)
  await addNode(root)
}

/** Copies this machine's package sources. */
async function addSources(root: string): Promise<void> {
  await rm(join(root, 'etc/apt/sources.list'), { force: true })
  for (const path of ['/etc/apt/sources.list', '/etc/apt/sources.list.d']) {
    if (existsSync(path)) await cp(path, join(root, path), { recursive: true })
  }
  const { stdout } = await exec('apt-config', ['dump', 'Acquire'])
  await writeFile(join(root, 'etc/apt/apt.conf.d/90-of-this-machine'), `${stdout}\nAcquire::Retries "5";\n`)
}

/** Node and npm where their image has them, with this machine's settings of npm. */
async function addNode(root: string): Promise<void> {
  const local = join(root, 'usr/local')
  await mkdir(join(local, 'bin'), { recursive: true })
  await copyFile(await realpath(process.execPath), join(local, 'bin/node'))
  await chmod(join(local, 'bin/node'), 0o755)
  const npm = dirname(dirname(await realpath((await exec('sh', ['-c', 'command -v npm'])).stdout.trim())))
  await cp(npm, join(local, 'lib/node_modules/npm'), { recursive: true })
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'))
  const settings = [
    [join(homedir(), '.npmrc'), 'root/.npmrc'],
    [(await exec('npm', ['config', 'get', 'globalconfig'])).stdout.trim(), 'usr/local/etc/npmrc'],
    ['/etc/ssl/certs/ca-certificates.crt', 'etc/ssl/certs/ca-certificates.crt'],
  ] as const
  for (const [from, to] of settings) {
    if (!existsSync(from)) continue
    await mkdir(dirname(join(root, to)), { recursive: true })
    await copyFile(from, join(root, to))
  }
}
